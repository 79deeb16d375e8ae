/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * position.h - nodes of machine code: their place in the tree is a position in the text space (abi/native.h).
 */
#ifndef PYPERF_BPF_TREE_POSITION_H
#define PYPERF_BPF_TREE_POSITION_H

#include "bpf/tree/tree.h"

/* Goes on from s->tree.node to its child for this position. 0, or -1 if there is no room. */
__noinline int native_intern(struct scratch *s, struct cpu_stats *count, __u64 position)
{
	__u32 node;

	if (!s || !count)
		return -1;
	position &= (1ULL << TEXT_BITS) - 1;
	node = node_intern(count, s->tree.bank, s->tree.home, s->tree.node,
			   NODE_NATIVE | (__u32)(position >> INSTR_BITS), position & INSTR_UNKNOWN,
			   s->quota.none);
	if (!node)
		return -1;
	s->tree.node = node;
	return 0;
}

#endif
