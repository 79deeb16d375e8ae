/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * interned.h - runs of bytes that are kept once each. An id counts from 1, and is the same for equal bytes.
 */
#ifndef PYPERF_RECORDED_INTERNED_H
#define PYPERF_RECORDED_INTERNED_H

#include "base/buf.h"

#include <linux/types.h>

#define INTERNED_MAX (1u << 22) /* records */

struct interned_record {
	size_t offset; /* in bytes */
	__u32 size, hash;
};

/* All zero is an empty one. */
struct interned {
	struct buf bytes;
	struct interned_record *by_id; /* id - 1 */
	__u32 count, capacity;
	__u32 *slots; /* ids by hash; 0 = free */
	__u32 slot_count;
};

/* The id of these bytes, which are added if they are not there. 0; -ENOMEM; -E2BIG beyond INTERNED_MAX. */
int interned_add(struct interned *t, const void *data, size_t size, __u32 *ret_id);
/* The id of these bytes; 0 = they are not there. */
__u32 interned_find(const struct interned *t, const void *data, size_t size);
/* The record; 8-byte aligned, and there until the next interned_add(). id must be valid. */
const void *interned_get(const struct interned *t, __u32 id, size_t *ret_size);
void interned_free(struct interned *t);

#endif
