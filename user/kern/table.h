/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table.h - one table of the kernel side, wherever that is (kern/home.h). What only the programs use has no
 * table here.
 */
#ifndef PYPERF_KERN_TABLE_H
#define PYPERF_KERN_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

struct bpf_map;
struct table;

/* How a kind of table is reached. Each returns 0 or -errno. */
struct table_kind {
	int (*get)(const struct table *t, const void *key, void *ret);
	int (*set)(const struct table *t, const void *key, const void *value);
	int (*remove)(const struct table *t, const void *key);
	int (*all)(const struct table *t, void *keys, void *values, __u32 *ret_count);
	int (*map)(const struct table *t, bool writes, void **ret);
};

/* All zero until its side is loaded, and for ever where that is refused: all below is -ENODEV then. */
struct table {
	const struct table_kind *kind;
	void *of; /* the kind's own */
	__u32 key_size, value_size, entries;
};

/* A table of the kernel, which may be of use before it is loaded: its sizes are those of that moment. */
struct table table_of_map(struct bpf_map *map);

/* -ENOENT: there is none of this key. */
int table_get(const struct table *t, const void *key, void *ret);
/* -E2BIG: the table is full. */
int table_set(const struct table *t, const void *key, const void *value);
int table_remove(const struct table *t, const void *key);
/*
 * All entries of a hash table, in no order. There is room for t->entries in both arrays. One that comes or
 * goes meanwhile may be missing.
 */
int table_all(const struct table *t, void *keys, void *values, __u32 *ret_count);

/* All values of an array, in the memory in which the programs have them. */
int table_map(const struct table *t, bool writes, void **ret);
/* NULL is fine. */
void table_unmap(const struct table *t, const void *mapped);
/* So many bytes are mapped. */
size_t table_bytes(const struct table *t);

#endif
