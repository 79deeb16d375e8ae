/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compared_nodes.h - the call trees of two profiles as one: each node has what is in it, and in those that it
 * called, in both of them.
 */
#ifndef PYPERF_REPORT_COMPARED_NODES_H
#define PYPERF_REPORT_COMPARED_NODES_H

#include <linux/types.h>

#include "recorded/interned.h"
#include "report/compared.h"

/* What makes a node: a function called from another node, 0 = the root. */
struct compared_node_key {
	__u32 parent, function;
};

struct compared_nodes {
	const struct compared *compared;
	struct interned keys; /* struct compared_node_key; a caller has a smaller id than what it calls */
	__s64 *base, *now;    /* by id - 1 */
	size_t capacity;
	__u32 *first, *next; /* callees by id; first[0] are the roots; 0 = none. By their names */
};

/* 0; -ENOMEM; -E2BIG. compared_nodes_free() it in each case. */
int compared_nodes_make(const struct compared *c, struct compared_nodes *ret);
void compared_nodes_free(struct compared_nodes *n);

static inline const struct compared_node_key *compared_nodes_get(const struct compared_nodes *n, __u32 id)
{
	return interned_get(&n->keys, id, NULL);
}

const char *compared_nodes_name(const struct compared_nodes *n, __u32 id);

#endif
