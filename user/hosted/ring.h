/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ring.h - records from the sampler's process to the profiler, in memory that both share: one writes, one
 * reads. The reader believes no size.
 */
#ifndef PYPERF_HOSTED_RING_H
#define PYPERF_HOSTED_RING_H

#include <stddef.h>
#include <linux/types.h>

struct shared_ring {
	unsigned long read, made; /* bytes until now */
	__u64 size;		  /* of data; a power of two */
	__u8 data[];
};

/*
 * Writes a record at *made, which is r->made at first, and moves it on; the reader sees it only once it is
 * published. 0, or -ENOSPC if there is no room.
 */
int shared_ring_put(struct shared_ring *r, unsigned long *made, const void *record, __u32 size);
void shared_ring_publish(struct shared_ring *r, unsigned long made);
/* Bytes that wait. */
unsigned long shared_ring_waits(const struct shared_ring *r);
/*
 * Gives all records to fn, in order, until it returns less than 0, and then returns that. -EBADMSG: what is
 * there is no record.
 */
int shared_ring_read(struct shared_ring *r, __u64 size, int (*fn)(void *, void *, size_t), void *context);

#endif
