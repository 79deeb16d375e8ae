// SPDX-License-Identifier: GPL-2.0-only
/*
 * pyperf.bpf.c - the programs that the kernel runs: the sampler, on a perf event of every CPU or in timers;
 * the handlers of fork, exec and exit, of switches from thread to thread, and of changes of memory; the
 * iterators that list processes at start, and threads that sleep.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "bpf/abi.h"
#include "bpf/events/account.h"
#include "bpf/events/asleep.h"
#include "bpf/events/loop_exact.h"
#include "bpf/events/memory.h"
#include "bpf/events/offcpu.h"
#include "bpf/events/outside_stack.h"
#include "bpf/events/timer.h"
#include "bpf/sample/lifecycle.h"
#include "bpf/sample/sampler.h"

char LICENSE[] SEC("license") = "GPL";

/* Never called. It brings records that otherwise are only on the stack into the object's type information. */
int record_types(struct record_known *known, struct record_fork *fork, struct record_exit *exit,
		 struct record_native *native, struct record_span *span)
{
	return 0;
}

SEC("perf_event")
int on_tick(struct bpf_perf_event_data *ctx)
{
	if (opt_kernel == KERNEL_MODE_FULL)
		kernel_read(ctx);
	loop_tick();
	return 0;
}

/* Loaded in place of on_tick, never beside it. */
SEC("syscall")
int start_timer(struct timer_request *request)
{
	return timer_begin(request);
}

SEC("syscall")
int stop_timer(struct timer_request *request)
{
	return timer_end(request);
}

/* In place, so that nothing that programs write meanwhile is lost. */
SEC("syscall")
int set_number(struct number_request *request)
{
	__u32 pid = request->pid;
	struct process *p = bpf_map_lookup_elem(&processes, &pid);

	if (!p || !process_set_number(p, request))
		return 1;
	__sync_fetch_and_add(&processes_stamp, 1);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_process_fork, struct task_struct *parent, struct task_struct *child)
{
	on_fork(parent, child);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_process_exec, struct task_struct *task, __s32 old_tid)
{
	if (opt_offcpu || opt_gil)
		wait_exec(task, old_tid);
	account_end(task, 1);
	on_exec(task);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_process_exit, struct task_struct *task)
{
	account_end(task, 0);
	on_exit(task);
	return 0;
}

/* These with --event offcpu and --event gil only. */
SEC("tp_btf/sched_switch")
int on_switch(const struct switch_arguments *a)
{
	on_switch_of(a);
	return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *task)
{
	if (opt_offcpu)
		wait_step(task, WAIT_QUEUES);
	else
		wait_step(task, WAIT_ENDS);
	return 0;
}

/* With --event offcpu only. */
SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(on_wakeup_new, struct task_struct *task)
{
	wait_first(task);
	return 0;
}

/* With --loop-exact only. */
SEC("tp_btf/sys_exit")
int BPF_PROG(on_syscall_end, struct pt_regs *regs, long result)
{
	if (is_epoll(regs_syscall(regs)))
		exact_poll(regs);
	return 0;
}

SEC("syscall")
int settle_waits(void *unused)
{
	settle_all();
	return 0;
}

/* As those. Writes a struct asleep for each thread whose stack is to be looked at; sweeps when it is done. */
SEC("iter/task")
int list_asleep(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (task)
		list_thread(ctx->meta->seq, task);
	else
		wait_sweep();
	return 0;
}

/* With --event offcpu only. Takes the stack in the table outside_stacks. */
SEC("syscall")
int add_stack(void *unused)
{
	__u32 first = 0;
	struct outside_stack *g = bpf_map_lookup_elem(&outside_stacks, &first);

	if (g)
		g->result = outside_take(g);
	return 0;
}

/* With --event tasks only. */
SEC("syscall")
int add_tasks(void *unused)
{
	__u32 first = 0;
	struct outside_stack *g = bpf_map_lookup_elem(&outside_stacks, &first);

	if (g)
		outside_tasks(g);
	return 0;
}

/* With ticks of a clock only. Writes nothing. */
SEC("iter/task")
int list_accounts(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (task)
		account_list(task);
	return 0;
}

/* With --event memory only. */
SEC("tp_btf/rss_stat")
int BPF_PROG(on_rss, struct mm_struct *mm)
{
	on_rss_change(mm);
	return 0;
}

/* Writes one struct record_process for each process. */
SEC("iter/task")
int list_processes(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct record_process e = { .type = RECORD_PROCESS };

	if (!task || task->pid != task->tgid)
		return 0;
	/* Without memory: a thread of the kernel, a zombie, or a main thread that ended before the others. */
	if (!BPF_CORE_READ(task, mm) && (!task->exit_state || !BPF_CORE_READ(task, signal, live.counter)))
		return 0;
	program_describe(task, &e);
	bpf_probe_read_kernel_str(e.comm, sizeof(e.comm), task->comm);
	bpf_seq_write(ctx->meta->seq, &e, sizeof(e));
	return 0;
}
