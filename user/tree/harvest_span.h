/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * harvest_span.h - of which nodes, and from when to when, counts are taken from the call tree.
 */
#ifndef PYPERF_TREE_HARVEST_SPAN_H
#define PYPERF_TREE_HARVEST_SPAN_H

#include <linux/types.h>

#include "bpf/abi.h"
#include "kern/banks.h"

struct harvest_progress;

/* Which counts: node_count of each. */
struct harvest_span {
	struct kernel_range nodes; /* end 0: all */
	const __u64 *since;	   /* NULL: from when the kernel side was loaded */
	const __u64 *until;	   /* NULL: up to now */
	__u64 *ret;		   /* if not NULL, gets the counts up to which it was done; may be since */
	struct harvest_progress *progress; /* NULL: all at once */
	__u64 pause_ns; /* clock_ns() at which it pauses, if there is progress; 0 = never */
};

/*
 * What a node has counted in the span. The node goes on counting, so its count is read once; *ret_until is
 * what it was.
 */
static inline __u64 harvest_span_count(const struct harvest_span *s, const struct node *nodes, __u32 node,
				       __u64 *ret_until)
{
	*ret_until = s->until ? s->until[node] : __atomic_load_n(&nodes[node].count, __ATOMIC_RELAXED);
	return *ret_until - (s->since ? s->since[node] : 0);
}

#endif
