/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * intern.h - from the stack in s->walk to a node of the call tree, frame by frame, and into the thread's
 * cache. It is here and not with the tree, which knows nothing of frames.
 */
#ifndef PYPERF_BPF_STACK_INTERN_H
#define PYPERF_BPF_STACK_INTERN_H

#include "bpf/data/maps.h"
#include "bpf/python/await.h"
#include "bpf/python/cache.h"
#include "bpf/python/code.h"
#include "bpf/python/instruction.h"
#include "bpf/stack/full.h"
#include "bpf/stack/native_nodes.h"
#include "bpf/tree/tree.h"

/* Before a stack is added: how many frames, from the leaf on, are to be left out. */
static __always_inline void intern_begin(struct scratch *s, __u32 left_out)
{
	s->intern.left_out = left_out;
}

struct intern_context {
	struct scratch *s;
	struct cpu_stats *count;
	struct thread *t;
	const struct layout *l;
};

/*
 * Goes on from s->tree.node to the node of this frame. When a table is full s->tree.node becomes 0, and this
 * returns 1.
 */
static __always_inline long intern_frame(struct intern_context *c, struct frame *f)
{
	struct scratch *s = c->s;
	__u32 index = 0, instr = INSTR_UNKNOWN;
	int state = code_intern(s, c->count, c->t, c->l, f->code, &index);
	__u64 offset;

	if (state < 0) {
		s->tree.node = 0;
		return 1;
	}
	/*
	 * The names of the frame's code object were not sent. A cached frame is not looked up again, so this
	 * frame must not become one, or its names would never be sent. Nor may a frame whose code object may
	 * soon be another.
	 */
	if (!state || s->code.unsettled & UNSETTLED_YOUNG)
		s->intern.remember = 0;
	if (state & CODE_SHIM)
		return 0;
	offset = instr_offset(s, c->l, f);
	if (offset < 2 * INSTR_UNKNOWN)
		instr = offset / 2;
	s->tree.node =
		node_intern(c->count, s->tree.bank, s->tree.home, s->tree.node, index, instr, s->quota.none);
	return !s->tree.node;
}

/* Whether the native frames of this sample go into the tree between its Python frames. */
static __always_inline int intern_is_merged(const struct scratch *s)
{
	return opt_native == NATIVE_MODE_FULL && s->unwind.merge.state == MERGE_DONE;
}

/*
 * Step *i: interns a native frame, if one comes before the next Python frame. *i becomes the number of that
 * Python frame. 1 if there was one; 0 if the Python frame is next; negative at the end.
 */
static __always_inline int intern_native(struct intern_context *c, __u32 *i)
{
	struct scratch *s = c->s;
	const __u32 python = *i - s->intern.natives, depth = s->walk.depth;
	int more = native_nodes_next(s, c->count, python < depth ? depth - 1 - python : NATIVE_NODES_LEAF);

	*i = python;
	if (more > 0 && !(++s->intern.natives & (LATE_STEPS - 1)) && walk_late(&s->walk)) {
		s->intern.late = 1;
		s->tree.node = 0;
		return -1;
	}
	if (more > 0)
		return 1;
	if (more < 0 && python < depth)
		s->tree.node = 0;
	else if (more < 0)
		s->unwind.end = NATIVE_NO_ROOM;
	return more < 0 || python >= depth ? -1 : 0;
}

/*
 * With --async: Python frame i is the one of the coroutine of the task that runs. Before it come the frames
 * that await the task, the outermost first. Returns the index in s->walk.frames of the frame that is next; or
 * AWAIT_NONE, when a marker may have been added, and no frame is next. s->await.left is one more than the
 * number of the task that is next. The first such number is one that no task has: with it comes the reason
 * why there are no more tasks. A global function: the verifier knows nothing of its result, and follows one
 * way with it.
 */
__noinline __u32 intern_awaiting(struct scratch *s, struct cpu_stats *count, __u32 i)
{
	__u32 own, at, task, cause;

	if (!opt_async || !s || !count)
		return AWAIT_NONE;
	own = s->walk.depth - 1 - i;
	at = s->await.at;
	task = s->await.left - 1;
	cause = s->await.cause;
	mem_opaque(own);
	if (!s->await.left || own >= DEPTH_LIMIT || frame_address(&s->walk.frames[own]) != s->await.frame)
		return own;
	s->intern.remember = 0; /* at the next sample that may be another one */
	s->await.seen = 1;
	s->await.steps++;
	mem_opaque(task);
	mem_opaque(at);
	if (task < s->await.tasks && task < AWAIT_TASKS && at < s->await.end[task] && at < AWAIT_FRAMES) {
		s->await.at = at + 1;
		return AWAIT_FIRST + at;
	}
	if (task < s->await.tasks && task < AWAIT_TASKS)
		cause = s->await.shared[task] ? WAIT_TASK_SHARED : WAIT_CAUSES;
	s->await.left--;
	s->await.at = s->await.begin[(task - 1) & (AWAIT_TASKS - 1)];
	if (cause < WAIT_CAUSES)
		s->tree.node = node_intern(count, s->tree.bank, s->tree.home, s->tree.node,
					   CODE_WAITS + cause, INSTR_UNKNOWN, s->quota.none);
	return AWAIT_NONE;
}

/*
 * Interns frame number i of s->walk, counted from the root. Returns 0 to go on, 1 when a table is full or the
 * time is up.
 */
static long intern_callback(__u32 i, struct intern_context *c)
{
	struct scratch *s = c->s;
	struct frame *f;
	int state;
	__u32 at;

	if (opt_async)
		i -= s->await.steps;
	if (intern_is_merged(s)) {
		state = intern_native(c, &i);
		if (state)
			return state < 0;
	}
	at = opt_async ? intern_awaiting(s, c->count, i) : s->walk.depth - 1 - i;
	mem_opaque(at);
	if (opt_async && at == AWAIT_NONE)
		return !s->tree.node;
	if (at >= AWAIT_NONE)
		return 1;
	if ((i & (LATE_STEPS - 1)) == LATE_STEPS - 1 && !s->walk.leaf_only && walk_late(&s->walk)) {
		s->intern.late = 1;
		s->tree.node = 0;
		return 1;
	}
	f = &s->walk.frames[at];
	if (f->code && intern_frame(c, f))
		return 1;
	if (opt_native >= NATIVE_MODE_TOP && !f->code)
		s->unwind.object = frame_address(f);
	if (s->intern.remember) {
		cache_remember(&c->t->cache, s->walk.cached.run + i, f, s->tree.node);
		if (opt_native == NATIVE_MODE_FULL)
			native_cache_below(&s->unwind, s->walk.cached.run + i);
		s->intern.cached = i + 1;
	}
	return 0;
}

/*
 * Adds the stack in s->walk to the tree, below s->tree.node. Leaves the leaf's node there, or 0 when a table
 * is full, or the time is up. Always 0; the verifier wants a check of each pointer.
 */
__noinline int intern_stack(struct scratch *s, struct cpu_stats *count, struct thread *t,
			    const struct layout *l)
{
	struct intern_context c = { s, count, t, l };
	__u32 steps;

	if (!s || !count || !t || !l)
		return -1;
	s->intern.late = 0;
	steps = s->walk.depth - s->intern.left_out;
	if (intern_is_merged(s)) {
		s->intern.natives = 0;
		/* and a step at the end of each way between two Python frames */
		steps += 2 * (NATIVE_DEPTH + NATIVE_CACHE_DEPTH);
	}
	if (opt_async) {
		s->await.steps = 0;
		s->await.left = s->await.frame ? s->await.tasks + 1 : 0;
		steps += s->await.frame ? AWAIT_FRAMES + 2 * AWAIT_TASKS : 0;
	}
	if (s->tree.node && steps)
		bpf_loop(steps, intern_callback, &c, 0);
	return 0;
}

#endif
