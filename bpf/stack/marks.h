/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * marks.h - two frames of a stack, as numbers that tell whether they are the same ones as before: by these an
 * event loop is seen to go on to something else, or to be left (events/turn_rounds.h). It counts frames from
 * the root, shims included, as the cache has them.
 */
#ifndef PYPERF_BPF_STACK_MARKS_H
#define PYPERF_BPF_STACK_MARKS_H

#include "bpf/data/maps.h"
#include "bpf/python/cache.h"

#define MARK_CALLER 3 /* frames from the one that is called down to the one below the loop: run_forever() */

/* The mark of frame number `at` of the stack that was just walked; never 0. */
static __always_inline __u64 mark_of(struct scratch *s, struct thread *t, __u32 at, __u32 frames)
{
	struct walk *w = &s->walk;
	const struct cached *c = cache_at(&t->cache, at);
	__u32 from_leaf = frames - 1 - at;
	const struct frame *f;

	if (at < w->cached.run)
		return (c->address + 31 * c->code) | 1;
	mem_opaque(from_leaf);
	f = &w->frames[from_leaf & (DEPTH_LIMIT - 1)];
	return ((f->address & ~(__u64)FRAME_SINGLE) + 31 * f->code) | 1;
}

/* After cache_run(). Always 0. A global function: the verifier looks at it once. */
__noinline int marks_take(struct scratch *s, struct thread *t)
{
	__u32 frames, depth;

	if (!s || !t)
		return 0;
	frames = s->walk.cached.run + s->walk.depth;
	depth = s->marks.depth ?: frames;
	s->marks.frames = frames;
	s->marks.caller = depth >= MARK_CALLER && depth - MARK_CALLER < frames ?
				  mark_of(s, t, depth - MARK_CALLER, frames) :
				  0;
	s->marks.called = depth < frames ? mark_of(s, t, depth, frames) : 0;
	return 0;
}

static __always_inline void marks_note(struct scratch *s, struct thread *t)
{
	if (opt_loop)
		marks_take(s, t);
}

#endif
