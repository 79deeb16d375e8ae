// SPDX-License-Identifier: GPL-2.0-only
#include "hosted/memory.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>

__u64 memory_calls, memory_refused;

static pid_t target;
static bool serves;
static __u32 kept_size;
static unsigned int kept_count; /* those that were there */
static __u64 kept[MEMORY_KEPT];
static __u8 bytes[MEMORY_KEPT][MEMORY_KEPT_BYTES];

/* What was read since memory_begin(), part by part, and the copy of all of it that is served. */
static struct part {
	__u64 address;
	__u32 size, at; /* its place in store */
} parts[MEMORY_PARTS];
static unsigned int part_count, fetched; /* so many of them are in store */
static __u32 store_used;
static __u8 store[MEMORY_STORE];

void memory_begin(pid_t tid)
{
	target = tid;
	serves = false;
	kept_count = part_count = fetched = store_used = 0;
}

static void note(__u64 address, __u32 size)
{
	if (part_count == MEMORY_PARTS || size > MEMORY_STORE - store_used)
		return;
	parts[part_count++] = (struct part){ address, size, store_used };
	store_used += size;
}

static const __u8 *find_fetched(__u64 address, __u32 size)
{
	for (unsigned int i = 0; i < fetched; i++)
		if (address >= parts[i].address && address + size <= parts[i].address + parts[i].size)
			return store + parts[i].at + (address - parts[i].address);
	return NULL;
}

void memory_fetch(void)
{
	static struct iovec to[MEMORY_PARTS], from[MEMORY_PARTS];
	ssize_t n;

	for (unsigned int i = 0; i < part_count; i++) {
		to[i] = (struct iovec){ store + parts[i].at, parts[i].size };
		from[i] = (struct iovec){ (void *)(uintptr_t)parts[i].address, parts[i].size };
	}
	memory_calls++;
	n = part_count ? process_vm_readv(target, to, part_count, from, part_count, 0) : 0;
	for (fetched = 0; fetched < part_count && n >= (ssize_t)parts[fetched].size; fetched++)
		n -= parts[fetched].size;
}

static const __u8 *find_kept(__u64 address, __u32 size)
{
	for (unsigned int i = 0; i < kept_count; i++)
		if (kept[i] == address && size <= kept_size)
			return bytes[i];
	return NULL;
}

int memory_read(void *dst, __u32 size, __u64 address)
{
	const struct iovec to = { dst, size }, from = { (void *)(uintptr_t)address, size };
	const __u8 *have = serves ? find_kept(address, size) : find_fetched(address, size);

	if (have) {
		memcpy(dst, have, size);
		return 0;
	}
	if (!serves)
		note(address, size);
	memory_calls++;
	if (process_vm_readv(target, &to, 1, &from, 1, 0) == (ssize_t)size)
		return 0;
	memory_refused += errno == EPERM;
	memset(dst, 0, size);
	return -EFAULT;
}

void memory_keep(const __u64 *addresses, unsigned int count, __u32 size)
{
	static struct iovec to[MEMORY_KEPT], from[MEMORY_KEPT];
	ssize_t n;

	kept_count = 0;
	if (!count || count > MEMORY_KEPT || size > MEMORY_KEPT_BYTES)
		return;
	for (unsigned int i = 0; i < count; i++) {
		to[i] = (struct iovec){ bytes[i], size };
		from[i] = (struct iovec){ (void *)(uintptr_t)addresses[i], size };
	}
	memory_calls++;
	n = process_vm_readv(target, to, count, from, count, 0);
	if (n <= 0)
		return;
	memcpy(kept, addresses, count * sizeof(*kept));
	kept_size = size;
	kept_count = n / size;
}

void memory_serve(void)
{
	serves = true;
}
