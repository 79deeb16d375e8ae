/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * quota.h - nobody can take the call tree from the others. As long as there is room everybody may use it.
 * Once three quarters of a bank's nodes or codes are in use, a process or a user who has more than twice as
 * many of them as are left gets no more in this generation: so one alone who wants all is stopped there, and
 * who comes later gets two thirds of the rest. What is there is still counted; new stacks are [table full].
 *
 * A process that has less than others of such a user may go on for a while, so that it does not suffer from
 * them.
 */
#ifndef PYPERF_BPF_TREE_QUOTA_H
#define PYPERF_BPF_TREE_QUOTA_H

#include "bpf/base/share.h"

static __always_inline int quota_is_short(__u32 bank)
{
	return banks_used[bank & 1].nodes > opt_node_mask - opt_node_mask / 4 ||
	       banks_used[bank & 1].codes > opt_code_mask - opt_code_mask / 4 ||
	       banks_used[bank & 1].owners > opt_owner_mask - opt_owner_mask / 8;
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

/* Of a table with so many entries in a bank, less one: how many are left. */
static __always_inline __u32 quota_left(__u32 mask, __u32 used)
{
	return used <= mask ? mask + 1 - used : 0;
}

/* To whose account the sample goes: the process's may be another one than the one that runs. */
static __always_inline __u64 quota_user(const struct scratch *s, const struct process *p)
{
	const struct task_struct *task = bpf_get_current_task_btf();

	return (__u32)task->tgid == s->who.known_tgid ? task_user(task) : p->user;
}

/* Of one table that is short: what a process and all of its user's have, and how many are left. */
static __always_inline int quota_is_over(__u32 mask, __u32 left, __u32 process, const struct share *h,
					 __u32 of_user)
{
	if (left > mask / 4)
		return 0;
	if (process / 2 > left)
		return 1;
	if (!h || of_user / 2 <= left)
		return 0;
	return left < mask / 16 * 3 || 2ULL * process * h->processes > of_user;
}

/*
 * When a bank is short: whether the process gets no new entries. A global function: the verifier looks at it
 * once. Always 0.
 */
__noinline int quota_decide(struct scratch *s)
{
	const struct bank_used *used;
	__u32 nodes = 0, codes = 0, tgid;
	const struct share *h;
	const struct process *p;

	if (!s)
		return 0;
	tgid = s->who.known_tgid;
	p = bpf_map_lookup_elem(&processes, &tgid);
	if (!p)
		return 0;
	h = share_of(quota_user(s, p), s->tree.generation);
	if (p->generation == s->tree.generation) {
		nodes = p->nodes;
		codes = p->codes;
	}
	used = &banks_used[s->tree.bank & 1];
	s->quota.none = quota_is_over(opt_node_mask, quota_left(opt_node_mask, used->nodes), nodes, h,
				      h ? h->nodes : 0) ||
			quota_is_over(opt_code_mask, quota_left(opt_code_mask, used->codes), codes, h,
				      h ? h->codes : 0);
	s->quota.no_owner = h && h->owners / 2 > quota_left(opt_owner_mask, used->owners);
	return 0;
}

/* Before a stack of the process is added: whether it may get new entries, and how many there were so far. */
static __always_inline void quota_begin(struct scratch *s, const struct cpu_stats *count)
{
	s->quota.nodes = count->nodes_new;
	s->quota.codes = count->codes_new;
	s->quota.owners = count->owners_new;
	s->quota.none = s->quota.no_owner = 0;
	if (quota_is_short(s->tree.bank))
		quota_decide(s);
}

/* The user of the process has got so much more. */
static __always_inline void quota_count_user(const struct scratch *s, struct process *p, __u32 nodes,
					     __u32 codes, __u32 owners)
{
	struct share *h;

	p->user = quota_user(s, p);
	h = share_of(p->user, s->tree.generation);
	if (!h)
		return;
	__sync_fetch_and_add(&h->nodes, nodes);
	__sync_fetch_and_add(&h->codes, codes);
	__sync_fetch_and_add(&h->owners, owners);
	if (p->generation != s->tree.generation || !(p->nodes | p->codes))
		__sync_fetch_and_add(&h->processes, 1);
}

/* The process has got so much more. A global function, as above. Always 0. */
__noinline int quota_count(struct scratch *s, __u32 nodes, __u32 codes, __u32 owners)
{
	struct process *p;
	__u32 tgid;

	if (!s)
		return 0;
	tgid = s->who.known_tgid;
	p = bpf_map_lookup_elem(&processes, &tgid);
	if (!p)
		return 0;
	quota_count_user(s, p, nodes, codes, owners);
	/* Two CPUs may do this at the same time. Then one's few entries are forgotten, which does no harm. */
	if (p->generation != s->tree.generation) {
		p->generation = s->tree.generation;
		p->nodes = p->codes = p->names = p->values = 0;
	}
	__sync_fetch_and_add(&p->nodes, nodes);
	__sync_fetch_and_add(&p->codes, codes);
	return 0;
}

/* After a stack of the process was added: the new entries are the process's. */
static __always_inline void quota_end(struct scratch *s, const struct cpu_stats *count)
{
	__u32 nodes = count->nodes_new - s->quota.nodes, codes = count->codes_new - s->quota.codes;
	__u32 owners = count->owners_new - s->quota.owners, bank = s->tree.bank & 1;

	if (!nodes && !codes && !owners)
		return;
	__sync_fetch_and_add(&banks_used[bank].nodes, nodes);
	__sync_fetch_and_add(&banks_used[bank].codes, codes);
	quota_count(s, nodes, codes, owners);
}

#endif
