/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * holder.h - the stack of a thread that may run on another CPU while it is read: of the GIL's holder. What is
 * read of it is no snapshot. A call may end between two reads, and its frame stays as it was in memory that
 * is free; its caller has gone on to another line by then, or is another one.
 *
 * So the chain is read several times, each time from the thread state on, since only that says which frames
 * are in use. A frame is believed if each look found it, with the same code, above callers that were the same
 * and at the same instructions. Each look reads the thread state before the frames. So at that moment the
 * frame was in use, and before as well as after it its caller was found at that one instruction.
 */
#ifndef PYPERF_BPF_EVENTS_HOLDER_H
#define PYPERF_BPF_EVENTS_HOLDER_H

#include "bpf/stack/stack.h"

/*
 * One look is wrong if the thread has gone on between two of its reads. All of them have to be wrong in the
 * same way: two are so once in some thousand events where functions last less than a microsecond.
 */
#define HOLDER_LOOKS 3
#define HOLDER_FAILS 3 /* looks that may meet no whole stack, since the thread went on */
#define HOLDER_FIRST HOLDER_DEPTH /* where in walk.frames the first look stays; later ones are at 0 */

struct holder_context {
	struct scratch *s;
	__u32 first, depth; /* frames of the first look, and of the one that is compared with it */
	__u32 same;	    /* frames from the root that both have */
	__u32 moved;	    /* the last of them has gone on in its own code */
};

/*
 * Compares the frames in place i from the root. Returns 0 to go on, 1 to stop. As long as a call goes on its
 * callers cannot change, but it may have gone on in its own code.
 */
static long holder_compare(__u32 i, struct holder_context *c)
{
	struct walk *w = &c->s->walk;
	__u32 a = HOLDER_FIRST + c->first - 1 - i, b = c->depth - 1 - i;
	const struct frame *f, *g;

	if (i >= c->first || i >= c->depth)
		return 1;
	mem_opaque(a);
	mem_opaque(b);
	f = &w->frames[a & (DEPTH_LIMIT - 1)];
	g = &w->frames[b & (DEPTH_LIMIT - 1)];
	if ((f->address ^ g->address) | (f->code ^ g->code))
		return 1;
	c->same = i + 1;
	c->moved = f->instr != g->instr;
	return c->moved;
}

/* Walks the chain of this thread state, to walk.frames[at] on. Returns whether it is whole. */
__noinline int holder_look(struct scratch *s, const struct layout *l, __u64 tstate, __u32 at)
{
	struct walk *w;
	__u64 frame;

	if (!s || !l || at > HOLDER_FIRST || tstate_read(s, l, tstate))
		return 0;
	w = &s->walk;
	frame = thread_frame(s, l);
	w->keep_shims = 0;
	w->max_depth = opt_max_depth < HOLDER_DEPTH ? opt_max_depth : HOLDER_DEPTH;
	walk_begin(w, frame, thread_chunk(s, l));
	w->depth = at;
	w->entry.caller = thread_caller(s, l);
	w->in_use = 1;
	walk_run(w, l);
	w->in_use = 0;
	return frame && w->depth > at && w->end == WALK_ROOT &&
	       (at || thread_is_whole(s, l, NULL, thread_base(s, l)));
}

/*
 * Whether the frame is a generator's. One that has gone on may have been called anew, by another caller: the
 * frame is the same each time.
 */
static __always_inline int holder_is_generator(struct scratch *s, const struct layout *l, __u64 frame)
{
	__u64 generator = 0;
	__u8 owner = 0;

	if (l->frame_generator)
		return walk_read(&s->walk, &generator, sizeof(generator), frame + l->frame_generator) ||
		       generator;
	return walk_read(&s->walk, &owner, sizeof(owner), frame + l->frame_owner) ||
	       owner == l->owner_generator;
}

/*
 * Reads the stack of the thread with this thread state. Returns whether s->walk then has a whole stack, of
 * which the first s->gil.left_out frames from the leaf are not believed.
 */
__noinline int holder_walk(struct scratch *s, const struct layout *l, __u64 tstate)
{
	struct holder_context c = { .s = s };
	__u32 same = DEPTH_LIMIT, moved = 0, looks = 1, leaf;

	if (!s || !l || !holder_look(s, l, tstate, HOLDER_FIRST))
		return 0;
	c.first = s->walk.depth - HOLDER_FIRST;
	for (int i = 1; i < HOLDER_LOOKS + HOLDER_FAILS && looks < HOLDER_LOOKS && same; i++) {
		if (!holder_look(s, l, tstate, 0))
			continue;
		looks++;
		c.same = 0;
		c.depth = s->walk.depth;
		bpf_loop(HOLDER_DEPTH, holder_compare, &c, 0);
		moved = c.same < same ? c.moved : moved | (c.same == same && c.moved);
		same = c.same < same ? c.same : same;
	}
	if (looks < HOLDER_LOOKS || !same || same > c.depth)
		return 0;
	s->gil.left_out = c.depth - same;
	leaf = s->gil.left_out;
	mem_opaque(leaf);
	if (moved && holder_is_generator(s, l, s->walk.frames[leaf & (DEPTH_LIMIT - 1)].address))
		s->gil.left_out++;
	return s->gil.left_out < c.depth;
}

#endif
