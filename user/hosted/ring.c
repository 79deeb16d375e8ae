// SPDX-License-Identifier: GPL-2.0-only
#include "hosted/ring.h"

#include <errno.h>
#include <string.h>

#define RECORD_MAX 16384

static void copy_in(struct shared_ring *r, unsigned long at, const void *from, size_t n)
{
	const size_t begin = at & (r->size - 1), first = n < r->size - begin ? n : r->size - begin;

	memcpy(r->data + begin, from, first);
	memcpy(r->data, (const __u8 *)from + first, n - first);
}

/* size: of the ring, as the reader knows it. */
static void copy_out(const struct shared_ring *r, __u64 size, unsigned long at, void *to, size_t n)
{
	const size_t begin = at & (size - 1), first = n < size - begin ? n : size - begin;

	memcpy(to, r->data + begin, first);
	memcpy((__u8 *)to + first, r->data, n - first);
}

static size_t whole(__u32 size)
{
	return sizeof(__u64) + (size + 7) / 8 * 8;
}

unsigned long shared_ring_waits(const struct shared_ring *r)
{
	return r->made - __atomic_load_n(&r->read, __ATOMIC_ACQUIRE);
}

int shared_ring_put(struct shared_ring *r, unsigned long *made, const void *record, __u32 size)
{
	const unsigned long waits = *made - __atomic_load_n(&r->read, __ATOMIC_ACQUIRE);
	const __u64 header = size;

	if (size > RECORD_MAX || waits + whole(size) > r->size)
		return -ENOSPC;
	copy_in(r, *made, &header, sizeof(header));
	copy_in(r, *made + sizeof(header), record, size);
	*made += whole(size);
	return 0;
}

void shared_ring_publish(struct shared_ring *r, unsigned long made)
{
	__atomic_store_n(&r->made, made, __ATOMIC_RELEASE);
}

int shared_ring_read(struct shared_ring *r, __u64 size, int (*fn)(void *, void *, size_t), void *context)
{
	static __u64 record[RECORD_MAX / 8];
	int err = 0, n = 0;

	while (!err) {
		const unsigned long waits = __atomic_load_n(&r->made, __ATOMIC_ACQUIRE) - r->read;
		__u64 header = 0;

		if (waits < sizeof(header))
			return n;
		copy_out(r, size, r->read, &header, sizeof(header));
		if (waits > size || header > RECORD_MAX || header < sizeof(__u32) || whole(header) > waits)
			return -EBADMSG;
		copy_out(r, size, r->read + sizeof(header), record, header);
		__atomic_store_n(&r->read, r->read + whole(header), __ATOMIC_RELEASE);
		err = fn(context, record, header);
		n++;
	}
	return err;
}
