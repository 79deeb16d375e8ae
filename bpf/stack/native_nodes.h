/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * native_nodes.h - adds native frames to the tree: those that were called by one Python frame and led to the
 * next, and those above the newest.
 */
#ifndef PYPERF_BPF_STACK_NATIVE_NODES_H
#define PYPERF_BPF_STACK_NATIVE_NODES_H

#include "bpf/stack/merge.h"
#include "bpf/tree/position.h"

/* In place of a Python frame's number: the native frames above the newest one. */
#define NATIVE_NODES_LEAF (~0U)

/*
 * Adds one of the native frames that lead from the Python frame that was added last to frame number `at` of
 * the walk, or to the leaf (NATIVE_NODES_LEAF). 1 if there may be more, 0 if all are there, negative if there
 * is no room. The oldest native frames stand on no Python frame and are left out; if they were not found, a
 * marker says so.
 */
__noinline int native_nodes_next(struct scratch *s, struct cpu_stats *count, __u32 at)
{
	const struct native_frame *f;
	__u32 all = opt_native_loop, to = 0;
	struct unwind *u;

	if (!s || !count)
		return -1;
	u = &s->unwind;
	if (at != NATIVE_NODES_LEAF) {
		to = u->merge.entered[at & (DEPTH_LIMIT - 1)];
		if (to >= ENTERED_UNKNOWN)
			return 0;
		to += !all; /* the loop's own frame is hidden */
	} else {
		all = 1;
	}
	if (u->merge.oldest) {
		u->merge.oldest = 0;
		if (u->end != NATIVE_FUNCTION)
			return native_intern(s, count, u->end) ? -1 : 1;
		u->merge.below = to + opt_native_loop;
	}
	if (u->merge.below <= to) {
		if (at != NATIVE_NODES_LEAF)
			u->merge.newest = u->merge.below = to - !all;
		return 0;
	}
	f = merge_frame(u, native_cache_of(u), --u->merge.below);
	if (!f || (f->place & NATIVE_INTERPRETER && !all))
		return 1;
	return native_intern(s, count, f->place) ? -1 : 1;
}

struct frames_context {
	struct scratch *s;
	struct cpu_stats *count;
	struct native_cache *k; /* NULL: none is remembered */
	__u32 total, first;
	__u32 caller; /* the node on which the leaf is added */
	__u32 full;   /* there was no room */
};

/* Adds native frame number i, counted from the root, of a stack that is not merged with Python frames. */
static long native_nodes_step(__u32 i, struct frames_context *c)
{
	const __u32 left = c->total - 1 - c->first - i;
	const struct native_frame *f = merge_frame(&c->s->unwind, c->k, left);

	if (!left)
		c->caller = c->s->tree.node;
	c->full = f && native_intern(c->s, c->count, f->place);
	return c->full || !f;
}

/* Whether the remembered frames that are on the way have a known node, too. */
static __always_inline int native_nodes_known(const struct scratch *s, const struct native_cache *k)
{
	return k->node && k->run == s->unwind.cached.run && k->root == s->tree.node &&
	       k->generation == s->tree.generation;
}

/*
 * Remembers this sample's frames, and the node that they lead to if those are all but the leaf. The sample
 * has `total` frames, and its leaf is on the node `caller`.
 */
static __always_inline void native_nodes_keep(struct scratch *s, struct native_cache *k, __u32 root,
					      __u32 total, __u32 caller)
{
	native_cache_renew(&s->unwind, k, s->who.known.space);
	k->run = k->depth;
	k->node = k->depth + 1 == total ? caller : 0;
	k->root = root;
	k->generation = s->tree.generation;
}

/*
 * Adds the native frames of a stack that is not merged with Python frames, on top of the remembered ones of
 * k, if k is given. Then it remembers them. 0, or negative if there is no room.
 */
static __always_inline int native_nodes_add(struct scratch *s, struct cpu_stats *count,
					    struct native_cache *k)
{
	struct frames_context c = { s, count, k, s->unwind.depth, 0, 0, 0 };
	const __u32 root = s->tree.node;

	if (k)
		c.total += s->unwind.cached.run;
	if (k && s->unwind.cached.run && native_nodes_known(s, k)) {
		s->tree.node = k->node;
		c.first = k->run;
	}
	if (c.total > c.first && c.total <= NATIVE_DEPTH + NATIVE_CACHE_DEPTH)
		bpf_loop(c.total - c.first, native_nodes_step, &c, 0);
	if (k && !c.full && s->unwind.end == NATIVE_FUNCTION)
		native_nodes_keep(s, k, root, c.total, c.caller);
	return c.full ? -1 : 0;
}

#endif
