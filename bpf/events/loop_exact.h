/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop_exact.h - turns of an event loop that does not sleep between them (--loop-exact). It looks for events
 * all the same, by a system call that returns at once: the end of that is the end of a turn. To see it, the
 * ends of all system calls are looked at. turn_exact.h says what becomes of such a turn.
 */
#ifndef PYPERF_BPF_EVENTS_LOOP_EXACT_H
#define PYPERF_BPF_EVENTS_LOOP_EXACT_H

#include "bpf/events/loop_turn.h"
#include "bpf/events/turn_exact.h"

/* Whether the current thread may have a turn that ends here, now that a wait in epoll is over. */
static __always_inline int exact_is_end(struct turn *t, struct turn *all, __u64 key, __u64 stack_pointer)
{
	if (t->key != key) {
		__builtin_memset(t, 0, sizeof(*t));
		t->key = key;
	}
	if (all->key != key) {
		all->key = key;
		all->begin = 0;
	}
	/* A client's own wait, in a turn (turn_is_own()). It may do so at any pace: that says nothing. */
	return t->stack_pointer <= stack_pointer;
}

/*
 * The current thread has looked for events in epoll. If it slept, its turn has begun as it woke up. Ticks
 * that interrupt this leave the turn alone, as `polls` is set.
 */
static __noinline void exact_poll(struct pt_regs *regs)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const __u64 key = wait_key(task->start_boottime, task->pid), now = bpf_ktime_get_ns();
	__u32 cpu = bpf_get_smp_processor_id(), index = wait_index(key, task->pid);
	struct cpu_stats *count = bpf_map_lookup_elem(&stats, &cpu);
	struct turn *t = bpf_map_lookup_elem(&turns, &index), *all = bpf_map_lookup_elem(&rounds, &index);
	struct wait *w = bpf_map_lookup_elem(&waits, &index);

	if (!count || !t || !all || !w || !turn_is_python(w->stack[WAIT_OWN].outcome) ||
	    !exact_is_end(t, all, key, regs_sp(regs)))
		return;
	t->polls = 1;
	barrier();
	if (t->woke || !turn_is_own(t, regs_sp(regs)) || !t->begin)
		exact_drop(count, all);
	else
		exact_end(count, w, t, all, now);
	if (!t->woke || !t->begin) {
		t->list = t->list ?: ready_list(task, regs_argument_kept(regs));
		turn_begin(t, now);
		t->begun_with = turn_ready(t, now, READY_MAX);
	}
	t->woke = 0;
	barrier();
	t->polls = 0;
}

#endif
