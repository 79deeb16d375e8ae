/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gil.h - waits for the GIL. A thread that wants it sleeps in a futex inside of struct _gil_runtime_state
 * (take_gil() in Python/ceval_gil.c), for 5 ms at a time, and then looks again. So whether a sleep is such a
 * wait is told by the futex's address, and each time the one who holds the GIL is looked at: its stack goes
 * on the waiter's, above "[GIL held by]".
 *
 * The holder may be running, on another CPU, while its frames are read. What was read is only believed where
 * a frame is found unchanged afterwards: as long as a call goes on its callers cannot change either.
 */
#ifndef PYPERF_BPF_EVENTS_GIL_H
#define PYPERF_BPF_EVENTS_GIL_H

#include "bpf/events/wait.h"
#include "bpf/sample/process.h"
#include "bpf/stack/stack.h"
#include "bpf/tree/quota.h"

#define HOLDER_TRIES 3
#define GIL_LOOKS    32 /* frames of the holder, from its leaf, among which one that stays is looked for */

/* Where the GIL is that the thread whose state is in s->tstate needs; 0 = unknown. */
static __always_inline __u64 gil_address(struct scratch *s, const struct process *p, const struct layout *l)
{
	if (l->runtime_gil)
		return p->runtime + l->runtime_gil;
	return l->interp_gil ? search_read(s, tstate_field(s, l->tstate_interp) + l->interp_gil) : 0;
}

/* Whether the futex is part of the GIL that the current thread, of process p, needs. */
static __always_inline int gil_has(struct scratch *s, struct cpu_stats *count, struct task_struct *task,
				   struct process *p, __u64 futex)
{
	__u32 layout_index = p->layout;
	struct layout *l = bpf_map_lookup_elem(&layouts, &layout_index);
	__u64 now = bpf_jiffies64();
	struct thread *t;

	s->gil.address = 0;
	if (!l)
		return 0;
	if (!l->runtime_gil && !l->interp_gil) {
		count->gil_none++;
		return 0;
	}
	s->tree.generation = *(volatile __u32 *)&tree_generation;
	self_begin(s, task);
	reads_begin(&s->walk);
	t = thread_get(s, thread_key(task, wait_event(WAIT_WANTS_GIL)), task->start_boottime, now);
	if (tstate_find(s, count, t, p, l, now)) {
		s->gil.address = gil_address(s, p, l);
		s->gil.waiter = t->tstate;
	}
	thread_put(t);
	reads_end(&s->walk, count);
	return s->gil.address && futex - s->gil.address < GIL_BYTES;
}

/* Whether the current thread, which is to sleep in this futex, waits for the GIL. */
__noinline int gil_is_wanted(struct scratch *s, struct cpu_stats *count, __u64 futex)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct process *p;
	int wanted, is;

	if (!s || !count || s->busy)
		return 0;
	s->busy = 1;
	barrier();
	p = process_find(s, task, task->tgid, &wanted);
	is = p && p->state == PROCESS_PYTHON && gil_has(s, count, task, p, futex);
	barrier();
	s->busy = 0;
	return is;
}

struct holder_context {
	struct scratch *s;
	const struct layout *l;
};

/*
 * Looks again at frame i of the holder, from its leaf. Returns 0 to go on, 1 to stop. A frame with the same
 * code whose caller is at the same instruction is the same call; the leaf itself may have gone on in it.
 * Where frames are objects (up to 3.10), each was read at a time of its own, and an object is used again by
 * the next call. So there all callers have to be what they were, and called from where they were. And none
 * may be free, as one without references is: f_back links free frames, too.
 */
static long holder_look(__u32 i, struct holder_context *c)
{
	struct scratch *s = c->s;
	const struct layout *l = c->l;
	struct walk *w = &s->walk;
	const __u32 depth = w->depth;
	const int objects = !l->tstate_chunk;
	__u32 at = i, same_code, same;
	struct frame f;

	mem_opaque(at);
	if (at >= depth || at >= DEPTH_LIMIT)
		return 1;
	f = w->frames[at];
	w->next = frame_address(&f);
	if (walk_step_late(w) || walk_read_single(w, l)) {
		s->gil.settled = DEPTH_LIMIT;
		return 1;
	}
	f.code ^= walk_load(w->mem + SINGLE_AT + l->frame_code) & ~(__u64)l->pointer_tag;
	f.instr ^= walk_load(w->mem + SINGLE_AT + l->frame_instr) & walk_instr_mask(l);
	if (objects)
		f.code |= !walk_load(w->mem + SINGLE_AT);
	if (objects && i + 1 < depth)
		f.code |= walk_load(w->mem + SINGLE_AT + l->frame_previous) ^
			  w->frames[(at + 1) & (DEPTH_LIMIT - 1)].address;
	same_code = !f.code;
	same = !(f.code | f.instr);
	if (!same)
		s->gil.settled = DEPTH_LIMIT;
	else if (i && !s->gil.moved && s->gil.settled == DEPTH_LIMIT)
		s->gil.settled = i - 1;
	if (same_code && i + 1 == depth && s->gil.settled == DEPTH_LIMIT)
		s->gil.settled = i;
	s->gil.moved = !same_code;
	return !objects && s->gil.settled != DEPTH_LIMIT;
}

/* Reads the stack of the thread with this thread state. Returns whether s->walk then has a whole stack. */
__noinline int holder_walk(struct scratch *s, const struct layout *l, __u64 tstate)
{
	struct holder_context c = { s, l };
	struct walk *w;
	__u64 frame;

	if (!s || !l || tstate_read(s, l, tstate))
		return 0;
	w = &s->walk;
	frame = thread_frame(s, l);
	w->keep_shims = 0;
	w->max_depth = opt_max_depth < HOLDER_DEPTH ? opt_max_depth : HOLDER_DEPTH;
	walk_begin(w, frame, thread_chunk(s, l));
	w->entry.caller = thread_caller(s, l);
	walk_run(w, l);
	if (!frame || !w->depth || !thread_is_whole(s, l, NULL, thread_base(s, l)))
		return 0;
	s->gil.moved = 1;
	s->gil.settled = DEPTH_LIMIT;
	bpf_loop(l->tstate_chunk ? GIL_LOOKS : w->depth, holder_look, &c, 0);
	return s->gil.settled < w->depth;
}

/*
 * Finds the GIL's holder, and its stack. WAIT_GIL when the stack is in s->walk, else the reason why there is
 * none.
 */
static __always_inline enum wait_cause holder_find(struct scratch *s, const struct layout *l)
{
	__u64 words[2]; /* last_holder; locked, an int */

	for (int i = 0; i < HOLDER_TRIES; i++) {
		if (walk_read(&s->walk, words, sizeof(words), s->gil.address + l->gil_holder))
			return WAIT_GIL_UNKNOWN;
		if ((__u32)words[1] != 1)
			return WAIT_GIL_FREE;
		if (words[0] == s->gil.waiter) /* take_gil() sets locked before last_holder */
			continue;
		if (holder_walk(s, l, words[0]))
			return WAIT_GIL;
	}
	return WAIT_GIL_UNKNOWN;
}

/* Adds the holder's stack, which is in s->walk, to the tree. */
static __always_inline void holder_intern(struct scratch *s, struct cpu_stats *count, const struct layout *l,
					  __u64 now)
{
	struct thread *t = &s->stranger; /* the holder's own entry may be in use */

	t->used = now;
	code_read_anew(s);
	read_epoch(s, &s->who.known, l, 0);
	s->code.unsettled = 0;
	s->intern.remember = 0;
	s->unwind.merge.state = MERGE_NONE;
	await_begin(s);
	intern_begin(s, s->gil.settled);
	intern_stack(s, count, t, l);
	if (s->code.unsettled & ~UNSETTLED_YOUNG || s->code.no_epoch)
		process_note(s, s->who.known_tgid, now);
}

/*
 * After a sample of the thread that waits: adds the stack of the GIL's holder above its own, or why there is
 * none. When a table is full, what there was room for stays. Always 0.
 */
__noinline int gil_blame(struct scratch *s, struct cpu_stats *count)
{
	__u32 layout_index, marker, cause;
	struct layout *l;

	if (!s || !count)
		return -1;
	layout_index = s->who.known.layout;
	l = bpf_map_lookup_elem(&layouts, &layout_index);
	marker = node_add(count, s->tree.bank, s->tree.node, CODE_WAITS + WAIT_GIL);
	if (!l || !marker)
		return 0;
	quota_begin(s, count);
	reads_begin(&s->walk);
	s->tree.node = marker;
	cause = holder_find(s, l);
	if (cause == WAIT_GIL)
		holder_intern(s, count, l, bpf_jiffies64());
	else
		s->tree.node = node_add(count, s->tree.bank, marker, CODE_WAITS + cause);
	if (!s->tree.node)
		s->tree.node = marker;
	count->gil_held += cause == WAIT_GIL;
	count->gil_free += cause == WAIT_GIL_FREE;
	count->gil_unknown += cause == WAIT_GIL_UNKNOWN;
	quota_end(s, count);
	reads_end(&s->walk, count);
	return 0;
}

#endif
