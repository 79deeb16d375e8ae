/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop_turn.h - turns of event loops. A loop sleeps in epoll until something is to be done. From then on to
 * its next sleep is a turn: nobody else has the loop meanwhile. A thread that sleeps in epoll is taken for a
 * loop; what it does inside of a turn is known by its ticks and its waits, which are nodes of the tree
 * already. They are kept until the turn ends, and get its time if it was long.
 *
 * Only the thread's own ticks and switches touch its turn, on the CPU that has the thread. A tick that
 * interrupts a switch is left out.
 */
#ifndef PYPERF_BPF_EVENTS_LOOP_TURN_H
#define PYPERF_BPF_EVENTS_LOOP_TURN_H

#include "bpf/events/turn_parts.h"
#include "bpf/events/wait_table.h"

/* As in asm/unistd.h of each architecture. */
#if defined(__TARGET_ARCH_arm64)
#define SYSCALL_EPOLL_WAIT  22 /* it has epoll_pwait only */
#define SYSCALL_EPOLL_PWAIT 22
#else
#define SYSCALL_EPOLL_WAIT  232
#define SYSCALL_EPOLL_PWAIT 281
#endif
#define SYSCALL_EPOLL_PWAIT2 441

static __always_inline int is_epoll(__s64 number)
{
	return number == SYSCALL_EPOLL_WAIT || number == SYSCALL_EPOLL_PWAIT ||
	       number == SYSCALL_EPOLL_PWAIT2;
}

/* The turns of this thread; NULL if none of its waits is known, or it was never found to run a loop. */
static __always_inline struct turn *turn_find(const struct task_struct *task)
{
	const __u64 key = wait_key(task->start_boottime, task->pid);
	__u32 index = wait_index(key, task->pid);
	struct turn *t = bpf_map_lookup_elem(&turns, &index);

	return t && t->key == key ? t : NULL;
}

/* Whether a thread whose stack was taken with this outcome may run an event loop of Python's. */
static __always_inline int turn_is_python(__u32 outcome)
{
	return outcome != OUTCOME_NO_THREAD_STATE && outcome != OUTCOME_NO_FRAMES &&
	       outcome != OUTCOME_PROGRAM && outcome != OUTCOME_NO_LAYOUT;
}

/* The thread goes to sleep in the loop's own wait for events: the turn is over. */
static __always_inline void turn_end(struct cpu_stats *count, struct wait *w, struct turn *t)
{
	const __u64 ns = w->begin - t->begin;
	const __u64 begin = t->begin;

	t->begin = 0;
	t->left = 0;
	t->polls = 1;
	if (!begin || (__s64)ns <= 0 || !turn_is_python(w->stack[WAIT_OWN].outcome))
		return;
	if (ns < opt_min_turn)
		sample_end_alone(count, EVENT_LOOP, OUTCOME_TURN_SHORT, ns);
	else
		turn_count(count, w, t, ns);
}

/*
 * The first waits of a turn have their stacks taken, whatever --budget says: the long one among them is what
 * is looked for. Most turns have none or one.
 */
#define TURN_FIRST 8

/*
 * The current thread leaves its CPU: finds out what that is to its loop. That is left in memory, since the
 * verifier would look at all of the sampler once for each value of a result.
 */
static __noinline void turn_leaves(struct task_struct *task, struct scratch *s, int queued)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	const int polls = !queued && is_epoll(regs_syscall(regs));
	const __u64 key = wait_key(task->start_boottime, task->pid);
	__u32 index = wait_index(key, task->pid);
	struct turn *t = bpf_map_lookup_elem(&turns, &index);

	s->turn.index = index;
	s->turn.role = TURN_NONE;
	s->turn.first = 0;
	if (!t || (t->key != key && !polls))
		return;
	if (t->key != key) {
		__builtin_memset(t, 0, sizeof(*t));
		t->key = key;
	}
	if (polls && turn_is_own(t, regs_sp(regs)))
		s->turn.role = TURN_END;
	else if (t->begin)
		s->turn.role = TURN_PART;
	if (s->turn.role == TURN_PART)
		s->turn.first = t->leaves++ < TURN_FIRST;
}

/* ... and its stack was taken, or not. Always 0. A global function, as turn_note(). */
__noinline int turn_left(struct scratch *s, struct cpu_stats *count, struct wait *w, int queued)
{
	const struct wait_stack *k;
	struct turn *t;
	__u32 index, node;

	if (!s || !count || !w || s->turn.role == TURN_NONE)
		return 0;
	index = s->turn.index;
	t = bpf_map_lookup_elem(&turns, &index);
	if (!t)
		return 0;
	if (s->turn.role == TURN_END) {
		turn_end(count, w, t);
		return 0;
	}
	k = &w->stack[WAIT_OWN];
	node = queued ? k->queue_node : k->node;
	t->left = w->begin;
	t->what = node >= EVENT_KINDS && outcome_is_in_profile(k->outcome) ?
			  part_make(node, k->outcome, 0) :
			  0;
	t->stack_generation = k->generation;
	return 0;
}

/* The thread is on a CPU again. */
static __noinline int turn_returns(const struct task_struct *task, __u64 now)
{
	struct turn *t = turn_find(task);

	if (!t)
		return 0;
	if (t->polls)
		turn_begin(t, now);
	else if (t->begin && t->left)
		turn_note(t, t->what, t->stack_generation, now - t->left);
	t->polls = 0;
	t->left = 0;
	return 0;
}

/* A tick has found the current thread, and its sample is over. */
static __noinline void turn_tick(struct scratch *s)
{
	const __u32 outcome = s->tick.outcome, amount = s->tick.amount;
	struct turn *t;

	s->tick.amount = 0;
	if (!amount || !outcome_is_in_profile(outcome) || s->tree.node < EVENT_KINDS)
		return;
	t = turn_find(bpf_get_current_task_btf());
	if (t && t->begin && !t->left && !t->polls)
		turn_note(t, part_make(s->tree.node, outcome, 1), s->tree.generation, amount * opt_tick_ns);
}

/* A tick is over. One that has interrupted another sample tells nothing. */
static __always_inline void loop_tick(void)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct scratch *s = opt_loop ? bpf_map_lookup_elem(&scratches, &cpu) : NULL;

	if (s && !s->busy)
		turn_tick(s);
}

#endif
