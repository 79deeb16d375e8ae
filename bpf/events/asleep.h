/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * asleep.h - lists the threads of Python processes that sleep, and whose stack nobody has taken: they have
 * slept since before the programs were attached, before the verdict on their process, or while the tree was
 * emptied. From when it is listed on, such a thread's wait counts like any other, below [wait not looked at]
 * until its stack is given (outside_stack.h). Since the list meets every task, it also finds out which
 * entries of the table of waits no task has any more.
 */
#ifndef PYPERF_BPF_EVENTS_ASLEEP_H
#define PYPERF_BPF_EVENTS_ASLEEP_H

#include "bpf/events/offcpu.h"

#define TASK_NEW 0x800 /* as in linux/sched.h: it has not run yet */

/* For so many ns a wait must have lasted: then it may well go on until it has been looked at. */
#define ASLEEP_LEAST  100000000
#define ASLEEP_UNSEEN 1000000000 /* ... one of a thread that mostly waits for short */

/* Whether the thread is on no CPU, and in no run queue. */
static __always_inline int is_asleep(struct task_struct *task)
{
	const __u32 state = *(volatile __u32 *)&task->__state;

	return state && !(state & (TASK_DEAD | TASK_NEW)) && !task->on_cpu;
}

/* How often it has left a CPU. */
static __always_inline __u64 switches_of(const struct task_struct *task)
{
	return *(volatile unsigned long *)&task->nvcsw + *(volatile unsigned long *)&task->nivcsw;
}

static __always_inline const struct process *python_of(const struct task_struct *task)
{
	__u32 tgid = task->tgid;
	const struct process *p = bpf_map_lookup_elem(&processes, &tgid);

	if (!p || p->state != PROCESS_PYTHON || p->exec_id != task->self_exec_id ||
	    p->start_time != BPF_CORE_READ(task, group_leader, start_boottime))
		return NULL;
	return p;
}

/* Whether this wait, which goes on, has no known place in the tree. */
static __always_inline int wait_is_unknown(const struct wait *w, __u64 since)
{
	__u32 writer = since_writer(since);
	const __s64 lasts = bpf_ktime_get_ns() - w->begin; /* the clocks of two CPUs may differ by a little */
	const struct wait_stack *k;

	mem_opaque(writer);
	if (writer >= WAIT_WRITERS || since & SINCE_QUEUED || w->for_gil || lasts < ASLEEP_LEAST)
		return 0;
	k = &w->stack[writer];
	if (k->outcome == OUTCOME_UNSEEN)
		return writer != WAIT_OWN || lasts >= ASLEEP_UNSEEN;
	if (k->outcome == OUTCOME_NEW_PROCESS || k->outcome == OUTCOME_NESTED)
		return 1;
	return k->node && k->generation != *(volatile __u32 *)&tree_generation;
}

/*
 * Begins the wait of a thread that was found asleep. It may wake up meanwhile, on another CPU, and have found
 * no entry of its own: so when all is written it has to be asleep still, and must not have run. Only then a
 * switch to it that is still to come will find the entry. 1 if so.
 */
static __always_inline int asleep_begin(struct task_struct *task, struct wait *w, __u64 switches)
{
	const __u64 now = bpf_ktime_get_ns(), since = since_make(now, WAIT_LISTED, 0);
	__u64 order = 0;
	int still;

	w->for_gil = 0;
	wait_name(w, task);
	w->begin = now;
	w->stack[WAIT_LISTED] = (struct wait_stack){
		.outcome = OUTCOME_UNSEEN, .queue_outcome = OUTCOME_UNSEEN, .weight = 1
	};
	if (__sync_val_compare_and_swap(&w->since, 0, since))
		return 0;
	still = is_asleep(task);
	__sync_lock_test_and_set(&order, 1); /* what is read last is to be the newest, on arm64 too */
	if (still && switches_of(task) == switches)
		return 1;
	__sync_val_compare_and_swap(&w->since, since, 0);
	return 0;
}

/* The wait of a sleeping thread, if its stack is to be looked at; else NULL. */
static __always_inline struct wait *asleep_wait(struct task_struct *task, const struct process *p)
{
	const __u64 switches = switches_of(task);
	struct wait *w;
	__u64 since;

	if (!is_asleep(task))
		return NULL;
	w = wait_find(task);
	since = w ? *(volatile __u64 *)&w->since : 0;
	if (since)
		return wait_is_unknown(w, since) ? w : NULL;
	w = w ?: wait_new(task);
	if (!w)
		return NULL;
	w->process = p->id;
	bpf_probe_read_kernel_str(w->comm, sizeof(w->comm), task->comm);
	return asleep_begin(task, w, switches) ? w : NULL;
}

#define UNMET_MAX 2 /* lists of all tasks in a row, without one to whom an entry belongs: then it is swept */

/* A list has met the thread, and waits of its process are of interest: its entry, if any, is still needed. */
static __always_inline void wait_meet(const struct task_struct *task)
{
	struct wait *w = wait_find(task);

	if (w && account_process(task, 0))
		w->unmet = 0;
}

static long wait_sweep_set(__u32 set, void *unused)
{
	struct wait_keys *k = bpf_map_lookup_elem(&wait_keys, &set);

	for (int i = 0; k && i < WAIT_WAYS; i++) {
		__u32 index = set * WAIT_WAYS + i;
		struct wait *w;

		if (!k->key[i])
			continue;
		w = bpf_map_lookup_elem(&waits, &index);
		if (!w || w->unmet++ < UNMET_MAX)
			continue;
		wait_free_way(k, set, i);
		count_here(__builtin_offsetof(struct cpu_stats, waits_swept));
	}
	return 0;
}

/* At the end of each list. */
static __always_inline void wait_sweep(void)
{
	bpf_loop(opt_wait_sets_mask + 1, wait_sweep_set, NULL, 0);
}

/* Writes a struct asleep for the thread if its stack is to be looked at. */
static __always_inline void list_thread(struct seq_file *seq, struct task_struct *task)
{
	const struct process *p;
	struct asleep e = {};
	struct wait *w;

	if (!BPF_CORE_READ(task, mm) || task->flags & PF_KTHREAD || !thread_is_selected(task))
		return;
	wait_meet(task);
	if (!opt_offcpu || opt_threads == THREADS_ACTIVE)
		return;
	p = python_of(task);
	w = p ? asleep_wait(task, p) : NULL;
	if (!w)
		return;
	e.pid = task->tgid;
	e.tid = task->pid;
	e.start_time = task->start_boottime;
	e.begin = w->begin;
	e.process = p->id;
	e.syscall = syscall_of(task);
	e.iowait = BPF_CORE_READ_BITFIELD(task, in_iowait);
	bpf_probe_read_kernel_str(e.comm, sizeof(e.comm),
				  opt_by_thread ? task->comm : BPF_CORE_READ(task, group_leader)->comm);
	bpf_seq_write(seq, &e, sizeof(e));
}

#endif
