/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * between.h - adds native frames to the tree: those that were called by one Python frame and led to the next,
 * and those above the newest.
 */
#ifndef PYPERF_BPF_NATIVE_BETWEEN_H
#define PYPERF_BPF_NATIVE_BETWEEN_H

#include "bpf/native/merge.h"
#include "bpf/tree/tree.h"

/* A node below s->tree.node for this position becomes s->tree.node. 0, or -1 if there is no room. */
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

/* After the last Python frame: what is above it. */
#define BETWEEN_LEAF (~0U)

/*
 * Adds one native frame of those that led from the Python frame that was added last to frame number `at` of
 * the walk, or BETWEEN_LEAF. 1 if there may be more, 0 if all are there, negative if there is no room. The
 * oldest of all stand on no Python frame and are left out; if they were not found, a marker says so.
 */
__noinline int between_next(struct scratch *s, struct cpu_stats *count, __u32 at)
{
	const struct native_frame *f;
	__u32 all = opt_native_loop, to = 0;
	struct unwind *u;

	if (!s || !count)
		return -1;
	u = &s->unwind;
	if (at != BETWEEN_LEAF) {
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
		if (at != BETWEEN_LEAF)
			u->merge.newest = u->merge.below = to - !all;
		return 0;
	}
	f = merge_frame(u, kept_of(u), --u->merge.below);
	if (!f || (f->place & NATIVE_INTERPRETER && !all))
		return 1;
	return native_intern(s, count, f->place) ? -1 : 1;
}

struct frames_context {
	struct scratch *s;
	struct cpu_stats *count;
	__u32 full; /* there was no room */
};

/* Adds frame number i of those that were found without the Python frames, from the root. */
static long between_frames_step(__u32 i, struct frames_context *c)
{
	const struct native_frame *f = merge_frame(&c->s->unwind, NULL, c->s->unwind.depth - 1 - i);

	c->full = f && native_intern(c->s, c->count, f->place);
	return c->full || !f;
}

/* Adds the frames that were found without the Python frames. 0, or negative if there is no room. */
static __always_inline int between_frames(struct scratch *s, struct cpu_stats *count)
{
	struct frames_context c = { s, count, 0 };

	if (s->unwind.depth && s->unwind.depth <= NATIVE_DEPTH)
		bpf_loop(s->unwind.depth, between_frames_step, &c, 0);
	return c.full ? -1 : 0;
}

#endif
