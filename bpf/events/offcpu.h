/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * offcpu.h - time off the CPU: what a thread of a Python process did when it gave up its CPU, and how long it
 * was without one. While the kernel switches, the thread that leaves is still the current one and its memory
 * is there, so its stack is taken as a tick takes it. Interrupts are off and the run queue's lock is held
 * then: nothing here wakes anybody up but by the ring buffer, which leaves that to an interrupt of its own.
 */
#ifndef PYPERF_BPF_EVENTS_OFFCPU_H
#define PYPERF_BPF_EVENTS_OFFCPU_H

#include <bpf/bpf_core_read.h>

#include "bpf/events/account.h"
#include "bpf/events/gil.h"
#include "bpf/events/loop_turn.h"
#include "bpf/events/switch_clock.h"
#include "bpf/events/wait_table.h"
#include "bpf/events/wait_turn.h"
#include "bpf/events/watched.h"
#include "bpf/sample/sampler.h"

/* As in linux/sched.h, and in asm/unistd.h of each architecture. */
#define TASK_DEAD  0x80
#define PF_KTHREAD 0x00200000
#if defined(__TARGET_ARCH_arm64)
#define SYSCALL_FUTEX 98
#else
#define SYSCALL_FUTEX 202
#endif

static __always_inline void add_wait(struct scratch *s, struct cpu_stats *count, enum wait_cause cause)
{
	const __u32 node = wait_cause(count, s->tree.bank, s->tree.node, cause);

	if (node)
		s->tree.node = node;
}

/* The system call that a thread is in; negative: it is in the kernel without one. */
static __always_inline __s64 syscall_of(struct task_struct *task)
{
	return regs_syscall((struct pt_regs *)bpf_task_pt_regs(task));
}

/*
 * Adds the system call that the thread is in, unless it is there, or why it is in the kernel without one; and
 * the disk.
 */
static __always_inline void add_cause(struct scratch *s, struct cpu_stats *count, __s64 number, int is_there,
				      __u32 iowait)
{
	if (number >= 0 && !is_there)
		native_intern(s, count, TEXT_SYSCALLS + (number < TEXT_SYSCALLS_MAX ? number :
							 TEXT_SYSCALLS_MAX - 1));
	if (number < 0)
		add_wait(s, count, WAIT_PAGE_FAULT);
	if (iowait)
		add_wait(s, count, WAIT_IO);
}

/* Finds the node on which a wait for a CPU is counted. The wait begins below s->tree.node. */
static __always_inline void find_queue_node(struct scratch *s, struct cpu_stats *count, struct wait_stack *k,
					    enum wait_cause cause)
{
	k->queue_outcome = k->outcome;
	k->queue_node = wait_cause(count, s->tree.bank, s->tree.node, cause);
	if (k->queue_node)
		return;
	k->queue_outcome = OUTCOME_TABLE_FULL;
	k->queue_node = wait_event(WAIT_QUEUED);
}

/*
 * Takes the current thread's stack. It is not inlined, nor is what comes before and after it: each has most
 * of the BPF stack for itself.
 */
static __noinline enum outcome take_stack(struct scratch *s, struct cpu_stats *count, __u32 for_gil)
{
	return sample_task(s, count, wait_kind(for_gil));
}

/* Notes in w which nodes the stack led to. */
static __noinline void note_nodes(struct scratch *s, struct cpu_stats *count, struct wait *w, int queued,
				  enum outcome outcome)
{
	struct wait_stack *k = &w->stack[WAIT_OWN];
	struct task_struct *task;

	k->outcome = k->queue_outcome = outcome;
	if (opt_trace)
		w->ids = s->trace.ids;
	k->generation = s->tree.generation;
	if (!outcome_is_in_profile(outcome))
		return;
	if (opt_offcpu)
		find_queue_node(s, count, k, queued ? WAIT_PREEMPTED : WAIT_WOKEN);
	if (opt_gil && w->for_gil && outcome != OUTCOME_TABLE_FULL) {
		gil_blame(s, count);
	} else if (!queued && outcome != OUTCOME_TABLE_FULL) {
		task = bpf_get_current_task_btf();
		add_cause(s, count, syscall_of(task), opt_kernel, BPF_CORE_READ_BITFIELD(task, in_iowait));
	}
	k->node = s->tree.node;
}

/*
 * Takes the stack of the current thread, if it is its turn. 0, or -1: its process turns out to be none of
 * ours.
 */
static __always_inline int look_at(struct task_struct *task, struct scratch *s, struct cpu_stats *count,
				   struct wait *w, int queued)
{
	struct wait_stack *k = &w->stack[WAIT_OWN];

	k->weight = wait_turn(w, s, count);
	if (!k->weight)
		return 0;
	count->waits_seen++;
	if (s->busy) {
		k->outcome = k->queue_outcome = OUTCOME_NESTED;
	} else {
		s->busy = 1;
		barrier();
		if (opt_budget)
			s->cost.look = bpf_ktime_get_ns();
		if (opt_gil)
			s->cost.deadline = s->gil.deadline;
		note_nodes(s, count, w, queued, take_stack(s, count, w->for_gil));
		if (opt_gil)
			s->cost.deadline = 0;
		if (opt_budget)
			wait_charge(w, s, count);
		barrier();
		s->busy = 0;
	}
	bpf_probe_read_kernel_str(w->comm, sizeof(w->comm), task->comm);
	return k->outcome == OUTCOME_NOT_PYTHON || k->outcome == OUTCOME_NOT_SELECTED ? -1 : 0;
}

/* Whether the current thread, which gives up its CPU of its own will, waits for the GIL. */
static __always_inline int waits_for_gil(struct task_struct *task, struct scratch *s, struct cpu_stats *count,
					 const struct wait *w)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);

	return regs_syscall(regs) == SYSCALL_FUTEX &&
	       gil_is_wanted(s, count, w, regs, regs_argument(regs), switch_clock(task));
}

/* A wait of the current thread begins. */
static __always_inline void wait_reset(struct task_struct *task, struct wait *w, __u32 for_gil, int queued,
				       __u64 now)
{
	w->unmet = 0;
	w->for_gil = for_gil;
	w->preempted = queued;
	wait_name(w, task);
	wait_pass(w, now);
	w->begin = now;
	if (opt_trace)
		w->ids = (struct trace_ids){};
	w->stack[WAIT_OWN] = (struct wait_stack){
		.outcome = OUTCOME_UNSEEN, .queue_outcome = OUTCOME_UNSEEN
	};
}

/* The thread, which has waited until now, is on a CPU again. */
static __noinline void on_return(struct task_struct *task, struct wait *w, __u64 now)
{
	if (opt_loop)
		turn_returns(task, now);
	wait_move(w, now, WAIT_ENDS);
}

/*
 * The current thread leaves its CPU, and nobody has said that it came there. Linux 6.18 on Firecracker was
 * seen to leave out switches away from threads of the machine's own agent: of a Python thread's returns, one
 * in 200 on a busy machine.
 */
static __noinline void on_return_unseen(struct task_struct *task, struct wait *w)
{
	count_here(__builtin_offsetof(struct cpu_stats, returns_unseen));
	on_return(task, w, arrival_clock(task, switch_clock(task)));
}

/*
 * The current thread leaves its CPU; queued: it could go on. Returns the thread's entry, or NULL if its waits
 * are not of interest. An entry remembers that they are, as is_ignored() does that they are not.
 */
static __noinline struct wait *wait_begin(struct task_struct *task, struct scratch *s,
					  struct cpu_stats *count, int queued)
{
	const __u64 stamp = *(volatile __u64 *)&processes_stamp;
	const struct process *p = NULL;
	struct wait *w = wait_find(task);
	__u32 for_gil = 0;

	if (w && w->since)
		on_return_unseen(task, w);
	if (!w || w->watched != stamp) {
		p = watched_anew(task, s, count);
		if (!p)
			return NULL;
	}
	if (opt_gil && w && p && w->process != p->id)
		w->gil = (struct gil_known){};
	if (opt_gil)
		gil_begin(s);
	if (opt_gil && !queued && waits_for_gil(task, s, count, w))
		for_gil = 1;
	else if (!opt_offcpu)
		return NULL;
	w = w ?: wait_new(task);
	if (!w)
		return NULL;
	if (p) {
		w->process = p->id;
		bpf_probe_read_kernel_str(w->comm, sizeof(w->comm), task->comm);
	}
	w->watched = stamp;
	if (opt_gil)
		gil_keep(s, w);
	wait_reset(task, w, for_gil, queued, switch_clock(task));
	count->waits++;
	return w;
}

/* From here on the wait counts. */
static __always_inline void wait_publish(struct wait *w, int queued)
{
	const __u64 since = since_make(w->begin, WAIT_OWN, queued);

#if defined(__TARGET_ARCH_x86) /* stores are not reordered with older ones */
	barrier();
	*(volatile __u64 *)&w->since = since;
#else
	__sync_lock_test_and_set(&w->since, since);
#endif
}

static __always_inline void on_leave(struct task_struct *task, struct scratch *s, struct cpu_stats *count,
				     int preempted)
{
	const __u32 state = task->__state;
	const int queued = preempted || !state;
	struct wait *w;

	if (state == TASK_DEAD) {
		account_dead(task);
		wait_free(task);
		return;
	}
	if (!task->mm || (!opt_offcpu && queued) || !thread_is_selected(task) || is_ignored(task, s, 1))
		return;
	w = wait_begin(task, s, count, queued);
	if (!w)
		return;
	if (opt_loop)
		turn_leaves(task, s, queued);
	if (look_at(task, s, count, w, queued)) {
		wait_free(task);
		return;
	}
	if (opt_loop)
		turn_left(s, count, w, queued);
	wait_publish(w, queued);
}

/*
 * A new thread is queued for its first time on a CPU. It has no stack yet. What it waits is counted below
 * [wait not looked at], so that its parts are all of its life.
 */
static __noinline void wait_first(struct task_struct *task)
{
	const struct process *p;
	struct wait *w;

	if (!task->mm || !thread_is_selected(task))
		return;
	p = account_process(task, 0);
	w = p ? wait_new(task) : NULL;
	if (!w)
		return;
	w->process = p->id;
	wait_name(w, task);
	w->begin = bpf_ktime_get_ns();
	w->preempted = 1;
	bpf_probe_read_kernel_str(w->comm, sizeof(w->comm), task->comm);
	w->stack[WAIT_OWN] = (struct wait_stack){
		.outcome = OUTCOME_UNSEEN, .queue_outcome = OUTCOME_UNSEEN
	};
	count_here(__builtin_offsetof(struct cpu_stats, waits));
	__sync_lock_test_and_set(&w->since, since_make(w->begin, WAIT_OWN, 1));
}

/* The thread is woken up. */
static __always_inline void wait_step(struct task_struct *task, const enum wait_step step)
{
	struct wait *w = task->flags & PF_KTHREAD ? NULL : wait_find(task);
	__u64 since = w ? w->since : 0;

	if (since && (step != WAIT_QUEUES || !(since & SINCE_QUEUED)))
		wait_move(w, switch_clock(task), step);
}

/* The arguments of the tracepoint sched_switch. */
struct switch_arguments {
	__u64 preempted;
	struct task_struct *from, *to;
};

/*
 * A CPU goes from one thread to another. Interrupts are off. An argument is read where it is used: kept from
 * the beginning it would be on the BPF stack while a stack is taken.
 */
static __always_inline void on_switch_of(const struct switch_arguments *a)
{
	struct task_struct *to = a->to;
	struct wait *w = to->flags & PF_KTHREAD ? NULL : wait_find(to);
	struct cpu_stats *count;
	struct scratch *s;
	__u32 cpu;

	if (w && w->since)
		on_return(to, w, switch_clock(to));
	cpu = bpf_get_smp_processor_id();
	s = bpf_map_lookup_elem(&scratches, &cpu);
	count = bpf_map_lookup_elem(&stats, &cpu);
	mem_opaque(a);
	if (s && count)
		on_leave(a->from, s, count, a->preempted & 1);
}

struct settle_context {
	__u64 now;
};

static long settle_step(__u32 i, struct settle_context *c)
{
	struct wait *w = bpf_map_lookup_elem(&waits, &i);

	if (!w)
		return 0;
	if (w->since)
		wait_move(w, bpf_ktime_get_ns(), WAIT_SETTLES);
	wait_flush(w);
	if (opt_loop && w->since)
		loop_settle(i);
	return 0;
}

/* Counts the time that has passed so far of all waits that are under way. */
static __always_inline void settle_all(void)
{
	struct settle_context c = {};

	bpf_loop((opt_wait_sets_mask + 1) * WAIT_WAYS, settle_step, &c, 0);
}

#endif
