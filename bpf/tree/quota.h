/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * quota.h - one process cannot take the call tree from the others. As long as there is room everybody may use
 * it. Once three quarters of a bank's nodes or codes are in use, a process that has a quarter of them, or
 * more, gets no more in this generation. What it has is still counted; its new stacks are [table full].
 */
#ifndef PYPERF_BPF_TREE_QUOTA_H
#define PYPERF_BPF_TREE_QUOTA_H

#include "bpf/data/maps.h"

static __always_inline int quota_is_short(__u32 bank)
{
	return banks_used[bank & 1].nodes > opt_node_mask - opt_node_mask / 4 ||
	       banks_used[bank & 1].codes > opt_code_mask - opt_code_mask / 4;
}

/*
 * Whether half of a bank is in use. Stacks of sleeping threads get no new entries then. However many threads
 * sleep, their stacks never begin a new generation, which would only have them looked at again.
 */
static __always_inline int quota_is_half(__u32 bank)
{
	return banks_used[bank & 1].nodes > opt_node_mask / 2 ||
	       banks_used[bank & 1].codes > opt_code_mask / 2;
}

/* Whether a sleeping thread may have a root of its own; else it shares that of its process. */
static __always_inline int quota_own_root(__u32 bank)
{
	return opt_by_thread && banks_used[bank & 1].owners < opt_owner_mask / 2;
}

/* Before a stack of the process is added: whether it may get new entries, and how many there were so far. */
static __always_inline void quota_begin(struct scratch *s, const struct cpu_stats *count)
{
	__u32 tgid = s->who.known_tgid;
	const struct process *p;

	s->quota.nodes = count->nodes_new;
	s->quota.codes = count->codes_new;
	s->quota.none = 0;
	if (!quota_is_short(s->tree.bank))
		return;
	p = bpf_map_lookup_elem(&processes, &tgid);
	s->quota.none = p && p->generation == s->tree.generation &&
			(p->nodes > opt_node_mask / 4 || p->codes > opt_code_mask / 4);
}

/* After a stack of the process was added: the new entries are the process's. */
static __always_inline void quota_end(struct scratch *s, const struct cpu_stats *count)
{
	__u32 nodes = count->nodes_new - s->quota.nodes, codes = count->codes_new - s->quota.codes;
	__u32 tgid = s->who.known_tgid, bank = s->tree.bank & 1;
	struct process *p;

	if (!nodes && !codes)
		return;
	__sync_fetch_and_add(&banks_used[bank].nodes, nodes);
	__sync_fetch_and_add(&banks_used[bank].codes, codes);
	p = bpf_map_lookup_elem(&processes, &tgid);
	if (!p)
		return;
	/* Two CPUs may do this at the same time. Then one's few entries are forgotten, which does no harm. */
	if (p->generation != s->tree.generation) {
		p->generation = s->tree.generation;
		p->nodes = p->codes = p->names = 0;
	}
	__sync_fetch_and_add(&p->nodes, nodes);
	__sync_fetch_and_add(&p->codes, codes);
}

#endif
