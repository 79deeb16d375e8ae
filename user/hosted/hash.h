/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hash.h - a hash table in memory that two processes share. Entries stay where they are, so that a value may
 * be changed in place. Of the two, either may end at any moment: nobody waits for a lock without end.
 */
#ifndef PYPERF_HOSTED_HASH_H
#define PYPERF_HOSTED_HASH_H

#include <stddef.h>
#include <linux/types.h>

/* All zero but for the first four, and it is empty. Entries follow: a link, the key, and the value. */
struct shared_hash {
	__u32 key_size, value_size, entries, buckets;
	__u32 lock;
	__u32 used; /* entries that were ever used */
	__u32 free; /* the first of those that are free again, plus one */
	__u32 count;
	__u32 first[]; /* of each bucket: number of its first entry plus one */
};

size_t shared_hash_bytes(__u32 key_size, __u32 value_size, __u32 entries);
void shared_hash_begin(struct shared_hash *h, __u32 key_size, __u32 value_size, __u32 entries);
/* Where the value of this key is; NULL: there is none. */
void *shared_hash_find(struct shared_hash *h, const void *key);
/* 0 or -E2BIG. */
int shared_hash_set(struct shared_hash *h, const void *key, const void *value);
/* 0 or -ENOENT. */
int shared_hash_remove(struct shared_hash *h, const void *key);
/* All of them, in no order; there is room for h->entries. Returns how many. */
__u32 shared_hash_all(struct shared_hash *h, void *keys, void *values);

#endif
