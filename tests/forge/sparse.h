/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sparse.h - the memory of a process that does not exist: pages at chosen addresses, and mem_read() on them
 * with a count of reads and faults at chosen ones.
 */
#ifndef PYPERF_TESTS_SPARSE_H
#define PYPERF_TESTS_SPARSE_H

#include <errno.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define SPARSE_PAGE  4096ULL
#define SPARSE_SLOTS 2048

static struct sparse_page {
	__u64 address; /* 0 = free slot */
	bool hidden;   /* was there, but is not resident */
	__u8 bytes[SPARSE_PAGE];
} sparse_pages[SPARSE_SLOTS];

static unsigned int sparse_used[SPARSE_SLOTS], sparse_count;
static __u64 sparse_fill; /* the word that new pages are full of */

static struct {
	__u64 reads;
	__u64 fail_from, fail_to; /* numbers, from 1, of the reads that fail; 0 = none */
	__u64 visited;		  /* injected faults that were met */
	__u8 garbage;		  /* what a failed read leaves in its destination */
} sparse;

static inline struct sparse_page *sparse_find(__u64 address)
{
	__u64 page = address & ~(SPARSE_PAGE - 1);
	__u32 at = (page >> 12) * 0x9e3779b1u >> 16;

	while (sparse_pages[at % SPARSE_SLOTS].address && sparse_pages[at % SPARSE_SLOTS].address != page)
		at++;
	return &sparse_pages[at % SPARSE_SLOTS];
}

static inline struct sparse_page *sparse_map(__u64 address)
{
	struct sparse_page *p = sparse_find(address);

	if (p->address)
		return p;
	if (sparse_count > SPARSE_SLOTS * 3 / 4)
		abort();
	sparse_used[sparse_count++] = p - sparse_pages;
	p->address = address & ~(SPARSE_PAGE - 1);
	p->hidden = false;
	for (size_t i = 0; i < SPARSE_PAGE; i += sizeof(sparse_fill))
		memcpy(p->bytes + i, &sparse_fill, sizeof(sparse_fill));
	return p;
}

/* Copies to (or from) forged memory, mapping what is not there. */
static inline void sparse_copy(__u64 address, void *bytes, size_t size, bool to_memory)
{
	for (__u8 *p = bytes; size;) {
		__u64 offset = address % SPARSE_PAGE, n = SPARSE_PAGE - offset;
		__u8 *there = sparse_map(address)->bytes + offset;

		n = n < size ? n : size;
		memcpy(to_memory ? there : p, to_memory ? p : there, n);
		address += n;
		p += n;
		size -= n;
	}
}

static inline void sparse_write(__u64 address, const void *bytes, size_t size)
{
	sparse_copy(address, (void *)bytes, size, true);
}

static inline void sparse_put(__u64 address, __u64 value)
{
	sparse_write(address, &value, sizeof(value));
}

static inline void sparse_hide(__u64 address, bool hidden)
{
	sparse_find(address)->hidden = hidden;
}

static inline void sparse_reset(__u64 fill)
{
	while (sparse_count)
		sparse_pages[sparse_used[--sparse_count]].address = 0;
	sparse_fill = fill;
	memset(&sparse, 0, sizeof(sparse));
}

/* Whether all of it is resident; if so it is copied to dst, unless that is NULL. */
static inline bool sparse_peek(void *dst, __u64 size, __u64 address)
{
	for (__u64 done = 0; done < size;) {
		const struct sparse_page *p = sparse_find(address + done);
		__u64 offset = (address + done) % SPARSE_PAGE, n = SPARSE_PAGE - offset;

		if (!p->address || p->hidden)
			return false;
		n = n < size - done ? n : size - done;
		if (dst)
			memcpy((char *)dst + done, p->bytes + offset, n);
		done += n;
	}
	return true;
}

/* The walk's only way to memory. */
static int mem_read(void *dst, __u32 size, __u64 address)
{
	bool fail = ++sparse.reads >= sparse.fail_from && sparse.reads <= sparse.fail_to;

	sparse.visited += fail;
	if (!fail && sparse_peek(dst, size, address))
		return 0;
	memset(dst, sparse.garbage, size);
	return -EFAULT;
}

#endif
