/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gil.h - waits for the GIL. A thread that wants it sleeps in a futex inside of struct _gil_runtime_state
 * (take_gil() in Python/ceval_gil.c), for 5 ms at a time, and then looks again. So whether a sleep is such a
 * wait is told by the futex's address (with musl by gil_musl.h), and each time the one who holds the GIL is
 * looked at: its stack goes on the waiter's, above "[GIL held by]".
 * How that is read, while it may be running on another CPU, is in holder.h.
 */
#ifndef PYPERF_BPF_EVENTS_GIL_H
#define PYPERF_BPF_EVENTS_GIL_H

#include "bpf/events/gil_musl.h"
#include "bpf/events/holder.h"
#include "bpf/events/wait.h"
#include "bpf/sample/cost.h"
#include "bpf/sample/process.h"
#include "bpf/stack/stack.h"
#include "bpf/tree/quota.h"

#define HOLDER_TRIES 3

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
	const __u64 sp = regs_sp((struct pt_regs *)bpf_task_pt_regs(task));
	__u64 now = bpf_jiffies64();
	struct thread *t;
	int is;

	if (!l)
		return 0;
	if (!l->runtime_gil && !l->interp_gil) {
		count->gil_none++;
		return 0;
	}
	s->tree.generation = *(volatile __u32 *)&tree_generation;
	self_begin(s, task);
	reads_begin(&s->walk);
	budget_begin(&s->walk, opt_patience_wait);
	t = thread_get(s, thread_key(task, wait_event(WAIT_WANTS_GIL)), task->start_boottime, now);
	if (tstate_find(s, count, t, p, l, now)) {
		s->gil.address = gil_address(s, p, l);
		s->gil.waiter = t->tstate;
	}
	thread_put(t);
	is = s->gil.address && futex - s->gil.address < GIL_BYTES;
	if (s->gil.address && !is && gil_is_on_stack(futex, sp)) {
		is = gil_lists(s, futex);
		s->gil.on_stack = is ? GIL_ON_STACK : GIL_NOT_ON_STACK;
	}
	s->gil.deadline = s->walk.deadline;
	reads_end(&s->walk, count);
	return is;
}

/*
 * Whether the current thread, which is to sleep in this futex, waits for the GIL, by what its process has in
 * memory.
 */
__noinline int gil_check(struct scratch *s, struct cpu_stats *count, __u64 futex)
{
	const __u64 begin = opt_budget ? bpf_ktime_get_ns() : 0;
	struct task_struct *task = bpf_get_current_task_btf();
	struct process *p;
	int wanted, is;

	if (!s || !count || s->busy)
		return 0;
	s->busy = 1;
	barrier();
	p = process_find(s, task, task->tgid, &wanted);
	is = p && p->state == PROCESS_PYTHON && gil_has(s, count, task, p, futex);
	if (opt_budget)
		s->gil.cost = (__u32)cost_charge(s, count, EVENT_GIL, begin) | 1;
	barrier();
	s->busy = 0;
	return is;
}

/* A thread leaves its CPU: nothing is known yet. */
static __always_inline void gil_begin(struct scratch *s)
{
	s->gil.address = s->gil.deadline = 0;
	s->gil.cost = s->gil.on_stack = 0;
}

/* Whether such a check is to be made. They are thinned as looks are, each thread's by what they cost. */
static __always_inline int gil_is_due(struct scratch *s, const struct wait *w, __u64 now)
{
	const __u32 level = opt_budget ? cost_level(&s->cost.all, now, COST_LEVELS) : 0;

	return !!chance_quick(&s->cost.random,
			      pace_shift(w ? w->pace.cycle : 0, w ? w->gil.cost : 0, level));
}

/*
 * Whether it waits for the GIL, of which nothing is read: the address is known by a check before. So is, for
 * a futex on the stack, what such a one was last.
 */
static __always_inline int gil_recall(struct scratch *s, const struct wait *w, __u64 futex, __u64 sp)
{
	if (!w || !w->gil.address)
		return 0;
	s->gil.address = w->gil.address;
	s->gil.waiter = w->gil.waiter;
	return futex - w->gil.address < GIL_BYTES ||
	       (gil_is_on_stack(futex, sp) && w->gil.on_stack == GIL_ON_STACK);
}

/* Whether the current thread waits for the GIL. w: its entry, NULL if it has none. */
static __always_inline int gil_is_wanted(struct scratch *s, struct cpu_stats *count, const struct wait *w,
					 const struct pt_regs *regs, __u64 futex, __u64 now)
{
	return gil_is_due(s, w, now) ? gil_check(s, count, futex) : gil_recall(s, w, futex, regs_sp(regs));
}

/* Keeps in the thread's entry what the check has found out, if there was one. */
static __always_inline void gil_keep(const struct scratch *s, struct wait *w)
{
	if (!s->gil.cost)
		return;
	w->gil.address = s->gil.address;
	w->gil.waiter = s->gil.waiter;
	w->gil.cost = cost_learn(w->gil.cost, s->gil.cost);
	w->gil.on_stack = s->gil.on_stack ?: w->gil.on_stack;
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
	intern_begin(s, s->gil.left_out);
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
