/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tree.h - the calling-context tree and its owners: open addressing, published by one compare-and-swap, no
 * locks, a fixed bound on probes.
 */
#ifndef PYPERF_BPF_TREE_TREE_H
#define PYPERF_BPF_TREE_TREE_H

#include "bpf/maps.h"

#define PROBES 32 /* of a table three quarters full, one look-up in 10,000 needs more */

/* The finalizer of SplitMix64: every bit of the key moves every bit of the result. */
static __always_inline __u64 mix(__u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* Double hashing: odd, so that it visits every entry of a table whose size is a power of two. */
static __always_inline __u32 probe_step(__u64 hash)
{
	return hash >> 32 | 1;
}

#define HOME_PROBES 3
#define HOME_NODES  256 /* a page */

/* A page of the node table for what is below a root: between two samples caches and TLBs have forgotten us. */
static __always_inline __u32 node_home(__u32 root)
{
	return (__u32)mix(root) & ~(HOME_NODES - 1);
}

/*
 * Home pages get full. A small step would stay in one, so each goes to another page, and in the end to all of them:
 * HOME_NODES + 1 and any multiple of twice HOME_NODES.
 */
static __always_inline __u32 node_step(__u64 hash)
{
	return (hash >> 32 & ~(2 * HOME_NODES - 1ULL)) + HOME_NODES + 1;
}

/*
 * The number of the node (parent, code, instr), added if it is new; 0 when there is no room. The first places
 * tried are in the page home, the others anywhere in the bank.
 */
static __always_inline __u32 node_intern(struct cpu_stats *stats, __u32 bank, __u32 home, __u32 parent, __u32 code,
					 __u32 instr)
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
		old = __sync_val_compare_and_swap(&n->key, 0, key);
		if (!old)
			stats->nodes_new++;
		if (!old || old == key)
			return index;
	}
	return 0;
}

/* The same for what is rare: verified once, not wherever it is called from. */
__noinline __u32 node_add(struct cpu_stats *count, __u32 bank, __u32 parent, __u32 code)
{
	return count ? node_intern(count, bank, node_home(parent), parent, code, INSTR_UNKNOWN) : 0;
}

static __always_inline void node_count(__u32 index)
{
	struct node *n = bpf_map_lookup_elem(&nodes, &index);

	if (n)
		__sync_fetch_and_add(&n->count, 1);
}

/* Counts the node reached, or the lack of room for it. Returns the final outcome. */
static __always_inline enum outcome count_node(struct scratch *s, struct cpu_stats *stats, __u32 root,
					       enum outcome outcome)
{
	if (root && s->node == root) { /* nothing but frames of the interpreter's own */
		outcome = OUTCOME_NO_FRAMES;
		s->node = node_add(stats, s->bank, root, outcome);
	}
	if (s->node) {
		node_count(s->node);
		return outcome;
	}
	node_count(root ? node_add(stats, s->bank, root, OUTCOME_TABLE_FULL) : 0); /* node 0: no room for the marker either */
	return OUTCOME_TABLE_FULL;
}

/* The owner's index plus one, or 0 when there is no room. */
__noinline __u32 owner_intern(struct cpu_stats *stats, __u32 bank, __u32 process, __u32 tid)
{
	const __u64 key = owner_key(EVENT_CPU, process, tid);
	const __u64 hash = mix(key);
	__u32 at = hash;

	if (!stats)
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
			__sync_fetch_and_add(&owners_used[bank & 1], 1);
			stats->owners_new++;
		}
		o->process = process;
		o->tid = tid;
		return index + 1;
	}
	return 0;
}

/*
 * The root of this thread's (or process's) part of the tree, remembered with the thread; 0 when there is no
 * room. A name is copied again now and then, because threads are named after they start.
 */
static __always_inline __u32 tree_root(struct cpu_stats *stats, __u32 bank, struct thread *t, struct task_struct *task,
				       __u32 process, __u64 now)
{
	struct owner *o;
	__u32 index, by_thread;

	if (t->root && t->process == process && now - t->comm_seen < 64)
		return t->root;
	/* Short-lived threads may be more than there is room for: the last quarter is for processes. */
	by_thread = opt_by_thread && (t->root || owners_used[bank & 1] < opt_owner_mask - opt_owner_mask / 4);
	index = owner_intern(stats, bank, process, by_thread ? t->tid : 0);
	if (!index--)
		return 0;
	o = bpf_map_lookup_elem(&owners, &index);
	if (!o)
		return 0;
	if (!by_thread)
		task = task->group_leader;
	bpf_probe_read_kernel_str(o->comm, sizeof(o->comm), task->comm);
	t->comm_seen = now;
	t->owner = index;
	t->process = process;
	t->root = node_add(stats, bank, 0, index);
	return t->root;
}

#endif
