// SPDX-License-Identifier: GPL-2.0-only
/*
 * memory.c - see memory.h. A system call that reads one place reads those behind it, too, which the last look
 * has read after it. The kernel takes them in that order. A place that is met in this order is served from
 * there. One that is not is read anew, together with those that may come after it. So each read is made after
 * all that the look has asked for before, as if it had a system call of its own: what tells that a thing has
 * changed meanwhile, such as a number that is read before and after it, says so here, too.
 */
#include "hosted/memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>

#define AHEAD_BYTES 8192 /* two blocks of frames, and what is beside them */
#define AHEAD_CALLS 3	 /* of a look, that read ahead: more would be one that is not like the last one */

static pid_t target;
static __u32 refused;
static struct memory_places *made;

static struct {
	struct memory_places places; /* what may be asked for */
	__u32 next, end;	     /* of them these are in bytes, one behind the other, ... */
	__u32 offset;		     /* ... from here on */
	__u32 calls;
	__u8 bytes[AHEAD_BYTES];
} ahead;

void memory_begin(pid_t tid, struct memory_places *places)
{
	target = tid;
	refused = 0;
	ahead.places = *places;
	ahead.next = ahead.end = ahead.offset = ahead.calls = 0;
	made = places;
	made->count = 0;
}

static void note(__u64 address, __u32 size)
{
	if (made->count < MEMORY_PLACES)
		made->at[made->count++] = (struct memory_place){ address, size };
}

/* Where it is among those that may come; their number: it is not. */
static __u32 find(__u64 address, __u32 size)
{
	const struct memory_places *p = &ahead.places;
	__u32 i = ahead.next;

	while (i < p->count && (p->at[i].address != address || p->at[i].size != size))
		i++;
	return i;
}

/* Goes on to that place. Whether it has been read. */
static bool advance(__u32 to)
{
	for (; ahead.next < to && ahead.next < ahead.end; ahead.next++)
		ahead.offset += ahead.places.at[ahead.next].size;
	return to < ahead.end;
}

/* Reads a place, and those from this one on. 0 or -EFAULT. */
static int read_from(void *dst, __u32 size, __u64 address, __u32 from)
{
	struct iovec to[2] = { { dst, size }, { ahead.bytes, 0 } };
	struct iovec places[1 + MEMORY_PLACES] = { { (void *)(uintptr_t)address, size } };
	const struct memory_place *p = &ahead.places.at[from];
	ssize_t got;
	int count = 1;

	ahead.next = ahead.end = from;
	ahead.offset = 0;
	if (ahead.calls++ < AHEAD_CALLS)
		for (; from < ahead.places.count && to[1].iov_len + p->size <= AHEAD_BYTES; from++, p++) {
			places[count++] = (struct iovec){ (void *)(uintptr_t)p->address, p->size };
			to[1].iov_len += p->size;
		}
	got = process_vm_readv(target, to, 1 + (count > 1), places, count, 0);
	if (got < (ssize_t)size) {
		refused += got < 0 && errno == EPERM;
		memset(dst, 0, size);
		return -EFAULT;
	}
	/* The first that is not mapped ends it. */
	for (got -= size; ahead.end < from && got >= ahead.places.at[ahead.end].size; ahead.end++)
		got -= ahead.places.at[ahead.end].size;
	return 0;
}

int memory_read(void *dst, __u32 size, __u64 address)
{
	const __u32 at = find(address, size);
	const bool likely = at < ahead.places.count;

	note(address, size);
	if (!likely || !advance(at))
		return read_from(dst, size, address, likely ? at + 1 : ahead.next);
	memcpy(dst, ahead.bytes + ahead.offset, size);
	advance(at + 1);
	return 0;
}

__u32 memory_refused(void)
{
	return refused;
}
