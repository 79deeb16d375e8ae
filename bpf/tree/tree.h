/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tree.h - the call tree and the owners of its roots. Both tables use open addressing with a fixed bound on
 * probes, and publish an entry by one compare-and-swap. There are no locks.
 */
#ifndef PYPERF_BPF_TREE_TREE_H
#define PYPERF_BPF_TREE_TREE_H

#include "bpf/base/hash.h"
#include "bpf/data/maps.h"
#include "bpf/tree/bank.h"

#define PROBES 32 /* slots tried; when a table is three quarters full, one look-up in 10,000 needs more */

#define HOME_PROBES 3	/* of these, the ones in the home page */
#define HOME_NODES  256 /* nodes in a page */

/*
 * The page of the node table in which nodes below this root are looked for first. Between two samples the
 * processor's caches and TLBs have forgotten us, so that a page costs much more than an entry.
 */
static __always_inline __u32 node_home(__u32 root)
{
	return (__u32)mix(root) & ~(HOME_NODES - 1);
}

/*
 * From one slot tried to the next. Home pages get full, and a small step would stay in one. So each step
 * goes to another page, and in the end to all of them: it is HOME_NODES + 1 and any multiple of twice
 * HOME_NODES.
 */
static __always_inline __u32 node_step(__u64 hash)
{
	return (hash >> 32 & ~(2 * HOME_NODES - 1ULL)) + HOME_NODES + 1;
}

/*
 * The number of the node (parent, code, instr), which is added if it is new; 0 when there is no room, or
 * it is new and the process gets none. The first slots tried are in the page home, the others anywhere in
 * the bank.
 */
static __always_inline __u32 node_intern(struct cpu_stats *count, __u32 bank, __u32 home, __u32 parent,
					 __u32 code, __u32 instr, __u32 none)
{
	const __u32 mask = opt_node_mask;
	const __u64 key = node_key(parent, code, instr);
	const __u64 hash = mix(key);
	__u32 at = hash;

	for (int i = 0; i < PROBES; i++, at += node_step(hash)) {
		__u32 index = bank_index(bank, mask, i < HOME_PROBES ? home | (at & (HOME_NODES - 1)) : at);
		struct node *n = bpf_map_lookup_elem(&nodes, &index);
		__u64 old;

		if (!n)
			return 0;
		if (n->key == key)
			return index;
		if (n->key)
			continue;
		if (none)
			return 0;
		old = __sync_val_compare_and_swap(&n->key, 0, key);
		if (!old)
			count->nodes_new++;
		if (!old || old == key)
			return index;
	}
	return 0;
}

/*
 * node_intern() as a global function, for what is rare: the verifier looks at it once, and not again wherever
 * it is called from. The instruction is unknown.
 */
__noinline __u32 node_add(struct cpu_stats *count, __u32 bank, __u32 parent, __u32 code)
{
	return count ? node_intern(count, bank, node_home(parent), parent, code, INSTR_UNKNOWN, 0) : 0;
}

/* The key of a thread that started at `began`, or of a process, with tid and began 0. */
static __always_inline __u64 owner_key_of(enum event_kind kind, __u32 process, __u32 tid, __u64 began)
{
	return owner_key(kind, mix(mix((__u64)process << 32 | tid) + began));
}

/* The index plus one of the owner with this key, which is added if it is new; 0 when there is no room. */
__noinline __u32 owner_intern(struct cpu_stats *count, __u32 bank, __u64 key, __u32 process, __u32 tid)
{
	const __u64 hash = mix(key);
	__u32 at = hash;

	if (!count)
		return 0;
	for (int i = 0; i < PROBES; i++, at += probe_step(hash)) {
		__u32 index = bank_index(bank, opt_owner_mask, at);
		struct owner *o = bpf_map_lookup_elem(&owners, &index);
		__u64 old;

		if (!o)
			return 0;
		old = o->key;
		if (!old)
			old = __sync_val_compare_and_swap(&o->key, 0, key);
		if (old && old != key)
			continue;
		if (!old) {
			__sync_fetch_and_add(&banks_used[bank & 1].owners, 1);
			count->owners_new++;
		}
		o->process = process;
		o->tid = tid;
		return index + 1;
	}
	return 0;
}

/*
 * At the start of a sample: notes the generation of the tree that it goes into. No node of it is reached yet.
 */
static __always_inline void tree_begin(struct scratch *s)
{
	s->tree.generation = *(volatile __u32 *)&tree_generation;
	s->tree.bank = bank_of(s->tree.generation);
}

static __always_inline void thread_forget_roots(struct thread *t)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		t->roots[kind].node = 0;
}

/*
 * The root of this thread's (or process's) part of the tree for a kind of event, which is remembered with the
 * thread; 0 when there is no room. The owner's name is copied again now and then, because threads are named
 * after they start. none: the process gets no new owners.
 */
static __always_inline __u32 tree_root(struct cpu_stats *count, __u32 bank, struct thread *t,
				       enum event_kind kind, struct task_struct *task, __u32 process,
				       __u64 now, __u32 none)
{
	struct root *root = &t->roots[kind];
	__u32 index, by_thread, tid;
	struct owner *o;
	__u64 began;

	if (root->node && t->process == process && now - root->comm_seen < opt_hz / 4)
		return root->node;
	if (none)
		return t->process == process ? root->node : 0;
	/* Short-lived threads may be more than there is room for: the last quarter is for processes. */
	by_thread = root->node ? root->of_thread :
				 banks_used[bank & 1].owners < opt_owner_mask - opt_owner_mask / 4;
	by_thread &= opt_by_thread;
	tid = by_thread ? task->pid : 0;
	began = by_thread ? task->start_boottime : 0;
	index = owner_intern(count, bank, owner_key_of(kind, process, tid, began), process, tid);
	if (!index--)
		return 0;
	o = bpf_map_lookup_elem(&owners, &index);
	if (!o)
		return 0;
	o->began = began;
	if (!by_thread)
		task = task->group_leader;
	bpf_probe_read_kernel_str(o->comm, sizeof(o->comm), task->comm);
	if (EVENT_KINDS > 1 && t->process != process) /* of the other kinds, too */
		thread_forget_roots(t);
	root->comm_seen = now;
	root->of_thread = by_thread;
	t->process = process;
	root->node = node_add(count, bank, 0, index);
	return root->node;
}

#endif
