/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * account.h - the time that threads were on a CPU by the kernel's own account, which the scheduler keeps at
 * each switch. Ticks of a clock do not see all of it: they wait while interrupts are off, and one that was
 * due in a thread may come when that has gone to sleep. So the account stands beside the ticks, in the same
 * tree, and a profile can say for whom the two differ.
 *
 * It is read when all tasks are listed and at a thread's end, never at a tick or any other switch. It is up
 * to date for a thread that is off the CPU. For one that runs it lacks the time since the scheduler's last
 * tick. So a thread's end is looked at twice: when it begins to end, while its process is known, and, where
 * switches are seen, in the last one.
 */
#ifndef PYPERF_BPF_EVENTS_ACCOUNT_H
#define PYPERF_BPF_EVENTS_ACCOUNT_H

#include "bpf/events/wait.h"
#include "bpf/sample/lifecycle.h"
#include "bpf/sample/process.h"

/* The process of a task, if that is in the profile; else NULL. execs: 1 if it has just called exec. */
static __always_inline const struct process *account_process(const struct task_struct *task,
							     const __u32 execs)
{
	__u32 tgid = task->tgid;
	const struct process *p = bpf_map_lookup_elem(&processes, &tgid);

	if (!p || p->exec_id + execs != task->self_exec_id ||
	    p->start_time != BPF_CORE_READ(task, group_leader, start_boottime))
		return NULL;
	return process_is_counted(p->state) ? p : NULL;
}

/* How much of the account of a thread was not counted yet, ns; it is from now on. */
static __always_inline __u64 account_take(struct account *a, const struct task_struct *task,
					  const struct process *p)
{
	const __u64 now = task->se.sum_exec_runtime;
	__u64 before;

	if (!a->process && task->start_boottime > p->known)
		a->process = p->id; /* all of its life counts */
	if (a->process != p->id) {
		a->process = p->id;
		a->ns = now;
		return 0;
	}
	before = __sync_lock_test_and_set(&a->ns, now);
	return now > before ? now - before : 0;
}

/* Counts ns for a thread, or for its process: for all of those that no list has met. */
static __always_inline void account_count(const struct task_struct *task, __u32 process, int by_thread,
					  __u64 ns)
{
	const __u32 bank = bank_of(*(volatile __u32 *)&tree_generation);
	__u32 cpu = bpf_get_smp_processor_id(), node;
	struct cpu_stats *count = bpf_map_lookup_elem(&stats, &cpu);
	const struct task_struct *named;
	char comm[16];

	if (!count)
		return;
	by_thread &= quota_own_root(bank);
	named = by_thread ? task : BPF_CORE_READ(task, group_leader);
	bpf_probe_read_kernel_str(comm, sizeof(comm), named->comm);
	node = root_of_other(count, bank, EVENT_CPU, process, by_thread ? task->pid : 0,
			     task->start_boottime, comm);
	node = node ? node_add(count, bank, node, CODE_ACCOUNT) : 0;
	if (!node)
		return;
	end_node(node, ns);
	__sync_fetch_and_add(&count->account_ns, ns);
}

/* A list of all tasks has met a thread. */
static __always_inline void account_list(struct task_struct *task)
{
	const struct process *p;
	struct account *a;
	__u64 ns;

	if (!BPF_CORE_READ(task, mm) || !thread_is_selected(task))
		return;
	p = account_process(task, 0);
	a = p ? bpf_task_storage_get(&accounts, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE) : NULL;
	if (!a)
		return;
	a->listed = 1;
	ns = account_take(a, task, p);
	if (ns)
		account_count(task, p->id, 1, ns);
}

/* The thread ends, or its process image has, by exec. */
static __always_inline void account_end(struct task_struct *task, const __u32 execs)
{
	const struct process *p;
	struct account *a;
	__u64 ns;

	if (!opt_account || !thread_is_selected(task))
		return;
	p = account_process(task, execs);
	a = p ? bpf_task_storage_get(&accounts, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE) : NULL;
	ns = a ? account_take(a, task, p) : 0;
	if (ns)
		account_count(task, p->id, a->listed | opt_offcpu, ns);
}

/*
 * The thread's last switch: what it has run since account_end(). Its process may be unknown by now, so all
 * goes by what that has noted. It is no part of on_switch to the verifier, whose other paths are long.
 */
static __noinline void account_dead(struct task_struct *task)
{
	struct account *a;
	__u64 now, before;

	if (!opt_account)
		return;
	a = bpf_task_storage_get(&accounts, task, 0, 0);
	if (!a || !a->process)
		return;
	now = task->se.sum_exec_runtime;
	before = __sync_lock_test_and_set(&a->ns, now);
	if (now > before)
		account_count(task, a->process, a->listed | opt_offcpu, now - before);
}

#endif
