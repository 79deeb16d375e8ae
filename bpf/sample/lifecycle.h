/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lifecycle.h - fork, exec and exit of processes. A child's memory is a copy of its parent's, so it gets the
 * parent's layout at once. An exec ends a process image. The end of the last thread, whichever it is, ends
 * the process.
 */
#ifndef PYPERF_BPF_SAMPLE_LIFECYCLE_H
#define PYPERF_BPF_SAMPLE_LIFECYCLE_H

#include "bpf/base/ids.h"
#include "bpf/base/ring.h"
#include "bpf/base/share.h"
#include "bpf/data/maps.h"
#include "bpf/sample/process.h"

/* A global function: the verifier looks at its many ways once. */
__noinline __u32 new_process_id(void)
{
	return new_id(held_ids, &last_process_id);
}

/* A tick may interrupt this and count too, which is why it is atomic. */
static __always_inline void count_here(__u64 offset)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct cpu_stats *count = bpf_map_lookup_elem(&stats, &cpu);

	if (count)
		__sync_fetch_and_add((__u64 *)((char *)count + offset), 1);
}

/* Without it user space does not know whose samples these are (user/targets/recover.h). */
static __always_inline void send_record(void *record, __u64 size)
{
	if (bpf_ringbuf_output(&records, record, size, records_wakeup()))
		count_here(__builtin_offsetof(struct cpu_stats, lifecycle_lost));
}

/*
 * Tells user space that a process image is over, by exec or by its end, so that it forgets what it knows of
 * it.
 */
static __always_inline void send_end(__u32 tgid, __u32 id)
{
	struct record_exit e = { .type = RECORD_EXIT, .pid = tgid, .id = id };

	send_record(&e, sizeof(e));
}

/* Makes the child of a known process known before its first tick. */
static __always_inline void on_fork(struct task_struct *parent, struct task_struct *child)
{
	__u32 parent_tgid = parent->tgid, tgid = child->tgid;
	struct process *p, copy;
	struct record_fork e = { .type = RECORD_FORK };

	if (tgid == parent_tgid) /* a new thread */
		return;
	p = bpf_map_lookup_elem(&processes, &parent_tgid);
	if (!opt_follow || !p || (opt_all && process_is_other(p->state)))
		return;
	/* Most children of programs exec another one at once. One that goes on is met at its first tick. */
	if (p->state == PROCESS_PROGRAM)
		return;
	if (p->start_time != BPF_CORE_READ(parent, group_leader, start_boottime))
		return;
	if (opt_all && p->exec_id != parent->self_exec_id)
		return;
	copy = *p;
	/*
	 * A process that is selected has to be looked at again if it is no Python, since it may exec an
	 * interpreter, and if its parent's verdict is from before the parent's last exec.
	 */
	if (process_is_other(copy.state) || p->exec_id != parent->self_exec_id) {
		copy.state = PROCESS_WANTED;
		copy.check_after = 0;
	}
	copy.start_time = child->start_boottime;
	copy.exec_id = child->self_exec_id;
	copy.id = new_process_id();
	copy.user = task_user(child);
	if (bpf_map_update_elem(&processes, &tgid, &copy, BPF_ANY)) {
		count_here(__builtin_offsetof(struct cpu_stats, processes_full));
		return;
	}
	__sync_fetch_and_add(&processes_stamp, 1);
	e.pid = tgid;
	e.start_time = copy.start_time;
	e.exec_id = copy.exec_id;
	e.id = copy.id;
	e.parent_id = p->id;
	bpf_probe_read_kernel_str(e.comm, sizeof(e.comm), child->comm);
	send_record(&e, sizeof(e));
}

/*
 * Whether the process has begun a program in which a layout was proved: then it is known at once. before is
 * the number of its image before, 0 = it had none. It is not inlined, for want of stack.
 */
static __noinline int exec_known(struct task_struct *task, __u32 before)
{
	__u32 tgid = task->tgid;
	struct record_known e = { .process.type = RECORD_KNOWN, .before = before };
	const struct known_program *known;
	struct process p = { .state = PROCESS_PYTHON };

	program_describe(task, &e.process);
	known = bpf_map_lookup_elem(&known_programs, &e.process.file);
	if (!known)
		return 0;
	p.start_time = e.process.start_time;
	p.exec_id = e.process.exec_id;
	p.user = e.process.user;
	p.known = bpf_ktime_get_boot_ns();
	p.begun = (__u32)bpf_jiffies64() | 1;
	if (!known->elsewhere)
		p.runtime = BPF_CORE_READ(task, mm, start_code) + known->runtime;
	p.layout = e.layout = known->layout;
	p.id = e.id = new_process_id();
	if (bpf_map_update_elem(&processes, &tgid, &p, BPF_ANY))
		return 0;
	__sync_fetch_and_add(&processes_stamp, 1);
	bpf_probe_read_kernel_str(e.process.comm, sizeof(e.process.comm), task->comm);
	/* At once: where the runtime's library is remains to be found. */
	if (bpf_ringbuf_output(&records, &e, sizeof(e), BPF_RB_FORCE_WAKEUP))
		count_here(__builtin_offsetof(struct cpu_stats, lifecycle_lost));
	return 1;
}

/* Forgets the process, or, if it was selected, what was known of its image. */
static __always_inline void on_exec(struct task_struct *task)
{
	__u32 tgid = task->tgid, before = 0;
	struct process *p = bpf_map_lookup_elem(&processes, &tgid);

	notice_forget(tgid);
	if (p) {
		before = p->id;
		send_end(tgid, before);
	}
	if ((p || opt_all) && exec_known(task, before))
		return;
	if (!p)
		return;
	if (opt_all) {
		bpf_map_delete_elem(&processes, &tgid);
		return;
	}
	/* Selected by pid or as a child: it is still wanted, whatever it runs now. */
	p->state = PROCESS_WANTED;
	p->check_after = 0;
	p->id = new_process_id();
	p->tasks = p->contexts = 0;
	p->exec_id = task->self_exec_id;
	p->start_time = BPF_CORE_READ(task, group_leader, start_boottime);
	__sync_fetch_and_add(&processes_stamp, 1);
}

/* The end of a thread, and with the last one of the process. */
static __always_inline void on_exit(struct task_struct *task)
{
	__u32 tgid = task->tgid;
	struct process *p;

	if (BPF_CORE_READ(task, signal, live.counter))
		return;
	p = bpf_map_lookup_elem(&processes, &tgid);
	if (!p)
		return;
	send_end(tgid, p->id);
	bpf_map_delete_elem(&processes, &tgid);
}

#endif
