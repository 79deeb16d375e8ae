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

#include "bpf/events/ready.h"
#include "bpf/events/turn_rounds.h"
#include "bpf/events/wait_table.h"
#include "bpf/sample/cost.h"
#include "bpf/sample/sampler.h"

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
	return outcome != OUTCOME_NO_THREAD_STATE && outcome != OUTCOME_C_THREAD &&
	       outcome != OUTCOME_NO_FRAMES && outcome != OUTCOME_PROGRAM && outcome != OUTCOME_NO_LAYOUT;
}

/* The thread goes to sleep in the loop's own wait for events: the turn is over. */
static __always_inline void turn_end(struct scratch *s, struct cpu_stats *count, struct wait *w,
				     struct turn *t)
{
	const __u64 ns = w->begin - t->begin;

	if (t->begin && (__s64)ns > 0 && turn_is_python(w->stack[WAIT_OWN].outcome))
		turn_finish(count, w, t, ns);
	turn_learn(s, t);
	t->begin = 0;
	t->left = 0;
	t->polls = 1;
}

/*
 * The first waits of a turn have their stacks taken, however often its thread waits, as long as the CPU owes
 * little: the long one among them is what is looked for. Most turns have none or one.
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
	s->marks.depth = s->marks.frames = 0;
	if (!t || (t->key != key && !polls))
		return;
	if (t->key != key) {
		__builtin_memset(t, 0, sizeof(*t));
		t->key = key;
	}
	if (polls && turn_is_own(t, regs_sp(regs))) {
		s->turn.role = TURN_END;
		t->list = ready_list(task, regs_argument(regs));
	} else if (t->begin)
		s->turn.role = TURN_PART;
	if (s->turn.role != TURN_PART)
		return;
	s->turn.first = t->leaves++ < TURN_FIRST;
	s->marks.depth = t->depth;
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
		turn_end(s, count, w, t);
		return 0;
	}
	if (turn_meets(s, count, w, t, w->begin))
		return 0;
	k = &w->stack[WAIT_OWN];
	node = queued ? k->queue_node : k->node;
	t->left = w->begin;
	t->what = node >= EVENT_KINDS && outcome_is_in_profile(k->outcome) ?
			  part_make(node, k->outcome, 0) :
			  0;
	t->stack_generation = k->generation;
	return 0;
}

#define READY_NS 50 /* that a step along the list is taken to cost */

/* ready_count(), for which --budget has to have something left; else otherwise. */
static __noinline __u32 turn_ready(const struct turn *t, __u64 now, __u32 otherwise)
{
	__u32 cpu = bpf_get_smp_processor_id(), ready;
	struct scratch *s = bpf_map_lookup_elem(&scratches, &cpu);
	struct cpu_stats *count = bpf_map_lookup_elem(&stats, &cpu);

	if (!t->list)
		return 0;
	if (!s || !count || !cost_is_spare(s, now))
		return otherwise;
	ready = ready_count(t->list);
	cost_flat(s, count, now, (ready + 1) * READY_NS);
	return ready;
}

/*
 * How many have come to wait since the turn began, if it is long. Those that were ready then are in the list
 * again, as the loop has been told of them and has not looked since. What it finds when it goes round is not
 * known.
 */
static __always_inline void turn_look(struct turn *t, __u64 now)
{
	const __u32 ready = now - t->begin < opt_min_turn || t->changes || t->counted ? 0 :
			    turn_ready(t, now, 0);

	if (ready > t->begun_with && ready - t->begun_with > t->ready)
		t->ready = ready - t->begun_with;
}

/* The thread is on a CPU again. */
static __noinline void turn_returns(const struct task_struct *task, __u64 now)
{
	struct turn *t = turn_find(task);
	__u64 left;

	if (!t)
		return;
	left = __sync_lock_test_and_set(&t->left, 0);
	if (t->polls) {
		t->polls = 0;
		t->woke = 1;
		turn_begin(t, now);
		t->begun_with = turn_ready(t, now, READY_MAX);
	} else if (t->begin && left && now > left) {
		t->last = now;
		turn_look(t, now);
		turn_note(t, t->what, t->stack_generation, now - left);
	}
}

/*
 * The thread sleeps, or waits for a CPU, in the middle of a turn, and user space wants what has passed
 * counted: the rest is of the time that comes. It may return at the same time, on another CPU: who has moved
 * t->left on counts what was before.
 */
static __always_inline void turn_settle(struct cpu_stats *count, __u32 index, __u64 now)
{
	struct turn *t = bpf_map_lookup_elem(&turns, &index);
	const __u64 left = t ? *(volatile __u64 *)&t->left : 0;
	__u32 what, node;

	if (!left || !t->begin || (__s64)(now - left) < (__s64)opt_min_turn)
		return;
	what = t->what;
	if (!what || t->stack_generation != *(volatile __u32 *)&tree_generation ||
	    __sync_val_compare_and_swap(&t->left, left, now) != left)
		return;
	__sync_fetch_and_add(&t->begin, now - left);
	t->counted = 1;
	node = wait_cause(count, bank_of(t->stack_generation), what & ((1 << NODE_BITS) - 1), WAIT_TURN);
	turn_sample(count, node, what >> PART_OUTCOME_SHIFT & ((1 << PART_OUTCOME_BITS) - 1), now - left);
}

static __noinline void loop_settle(__u32 index)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct cpu_stats *count = bpf_map_lookup_elem(&stats, &cpu);

	if (count)
		turn_settle(count, index, bpf_ktime_get_ns());
}

/*
 * A tick has found the current thread. Its sample is told what is to be known of the stack. One that
 * interrupts another sample has nothing to do with turns.
 */
static __noinline void loop_tick_begin(void)
{
	const struct task_struct *task = bpf_get_current_task_btf();
	const __u64 key = wait_key(task->start_boottime, task->pid);
	__u32 cpu = bpf_get_smp_processor_id(), index;
	struct scratch *s = bpf_map_lookup_elem(&scratches, &cpu);
	const struct turn *t;

	if (!s || s->busy)
		return;
	s->tick.turn = WAIT_NONE;
	index = wait_index(key, task->pid);
	t = bpf_map_lookup_elem(&turns, &index);
	if (!t || t->key != key || !t->begin || t->left || t->polls)
		return;
	s->tick.turn = index;
	s->tick.amount = 0;
	s->marks.frames = 0;
	s->marks.depth = t->depth;
}

/* ... and that sample is over. */
static __noinline void loop_tick_end(void)
{
	__u32 cpu = bpf_get_smp_processor_id(), index;
	struct scratch *s = bpf_map_lookup_elem(&scratches, &cpu);
	struct cpu_stats *count = bpf_map_lookup_elem(&stats, &cpu);
	struct turn *t;
	struct wait *w;
	__u64 now;

	if (!s || !count || s->busy || s->tick.turn == WAIT_NONE)
		return;
	index = s->tick.turn;
	t = bpf_map_lookup_elem(&turns, &index);
	w = bpf_map_lookup_elem(&waits, &index);
	if (!t || !w || !s->tick.amount || !outcome_is_in_profile(s->tick.outcome) ||
	    s->tree.node < EVENT_KINDS)
		return;
	now = bpf_ktime_get_ns();
	if (turn_meets(s, count, w, t, now))
		return;
	turn_note(t, part_make(s->tree.node, s->tick.outcome, 1), s->tree.generation,
		  s->tick.amount * opt_tick_ns);
	turn_look(t, now);
}

static __always_inline void loop_tick(void)
{
	if (opt_loop)
		loop_tick_begin();
	sample_tick();
	if (opt_loop)
		loop_tick_end();
}

#endif
