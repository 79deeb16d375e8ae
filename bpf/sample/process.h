/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process.h - which process the current task belongs to, and the question to user space when that is unknown.
 */
#ifndef PYPERF_BPF_SAMPLE_PROCESS_H
#define PYPERF_BPF_SAMPLE_PROCESS_H

#include "bpf/base/hash.h"
#include "bpf/base/share.h"
#include "bpf/data/maps.h"
#include "bpf/sample/program.h"

#define NOTICE_PAUSE 20 /* units of 2^20 ns, nearly ms, between two reports of one process */

/*
 * Asks user space about a process, unless it was asked within NOTICE_PAUSE. due is a bpf_ktime_get_ns() from
 * which on the question may be put once more, however short the pause; 0 = there is none. It is not inlined,
 * because its record would take up stack that the walk needs: there are 512 bytes.
 */
static __noinline void notice_send(struct cpu_stats *count, struct task_struct *task, __u32 tgid, __u64 due)
{
	__u32 slot = (__u32)mix(tgid ^ opt_secret) & (NOTICES - 1), ms = bpf_ktime_get_ns() >> 20, age;
	__u64 *last = bpf_map_lookup_elem(&notices, &slot);
	struct record_process e = { .type = RECORD_PROCESS };

	if (!last)
		return;
	age = ms - (__u32)*last;
	if (*last >> 32 == tgid && age < NOTICE_PAUSE && age <= ms - (__u32)(due >> 20))
		return;
	*last = (__u64)tgid << 32 | ms;
	program_describe(task, &e);
	bpf_probe_read_kernel_str(e.comm, sizeof(e.comm), BPF_CORE_READ(task, group_leader)->comm);
	if (bpf_ringbuf_output(&records, &e, sizeof(e), BPF_RB_FORCE_WAKEUP))
		count->ring_full++;
	else
		count->notices++;
}

/* It has become another program: that it was asked about is no reason to wait any more. */
static __always_inline void notice_forget(__u32 tgid)
{
	__u32 slot = (__u32)mix(tgid ^ opt_secret) & (NOTICES - 1);
	__u64 *last = bpf_map_lookup_elem(&notices, &slot);

	if (last && *last >> 32 == tgid)
		*last = 0;
}

/* With --threads main the others are left out. */
static __always_inline int thread_is_selected(const struct task_struct *task)
{
	return opt_threads != THREADS_MAIN || task->pid == task->tgid;
}

/*
 * The entry of a process as this CPU has copied it. A look into the table costs a tick a quarter of what all
 * else does where programs share a CPU, so the last few are kept, and of other programs that there is none.
 * Any of them is copied again when anything about any process has changed.
 */
static __always_inline const struct kept_process *process_keep(struct scratch *s, __u32 tgid, __u64 stamp)
{
	struct kept_process *k = &s->kept[tgid & (KEPT_PROCESSES - 1)];
	const struct process *p;

	if (k->tgid == tgid && k->stamp == stamp)
		return k;
	p = bpf_map_lookup_elem(&processes, &tgid);
	k->tgid = tgid;
	k->stamp = stamp;
	k->is_absent = !p;
	if (p)
		k->process = *p;
	return k;
}

/* This CPU's copy of the record of a process; NULL if the table has none. */
static __always_inline struct process *process_copy(struct scratch *s, __u32 tgid)
{
	/* Read before the entry, so that a change meanwhile is seen the next time. */
	const __u64 stamp = *(volatile __u64 *)&processes_stamp;
	const struct kept_process *k;

	if (s->who.known_tgid == tgid && s->who.known_stamp == stamp)
		return &s->who.known;
	k = process_keep(s, tgid, stamp);
	if (k->is_absent)
		return NULL;
	s->who.known = k->process;
	s->who.known_tgid = tgid;
	s->who.known_stamp = stamp;
	return &s->who.known;
}

/* At the start of a sample of this process. */
static __always_inline void process_begin(struct scratch *s, const struct process *p)
{
	s->who.process = p->id;
}

/*
 * Whether a process that was known at its exec has only begun, a quarter of a second ago at most: its first
 * thread has no thread state yet, and will have one soon. now is in jiffies.
 */
static __always_inline int process_begins(const struct process *p, __u64 now)
{
	return p->begun && (__u32)now - p->begun < opt_hz / 4;
}

/* Writes back what this sample has found out about its process. */
static __always_inline void process_note(const struct scratch *s, __u32 tgid, __u64 now)
{
	struct process *p = bpf_map_lookup_elem(&processes, &tgid);

	if (!p || p->id != s->who.known.id)
		return;
	p->no_epoch |= s->code.no_epoch;
	if (s->who.known.self_below)
		p->self_below = s->who.known.self_below;
	if (p->unsettled != UNSETTLED_ALWAYS)
		p->unsettled = s->code.unsettled & UNSETTLED_REUSED ? UNSETTLED_ALWAYS : now;
	__sync_fetch_and_add(&processes_stamp, 1);
}

/*
 * The record of the current task's process image, NULL if there is none. *wanted then says whether user space
 * is to be asked about it: always if every process is of interest, else only after an exec, since a selected
 * process stays selected.
 */
static __always_inline struct process *process_find(struct scratch *s, struct task_struct *task, __u32 tgid,
						    int *wanted)
{
	struct process *p = process_copy(s, tgid);

	*wanted = opt_all;
	if (!p || p->start_time != task->group_leader->start_boottime)
		return NULL;
	if (p->exec_id == task->self_exec_id)
		return p;
	*wanted = 1;
	return NULL;
}

/* Asks about a process on which there is no verdict yet, or one that is to be looked at again. */
static __always_inline void process_ask(struct cpu_stats *count, struct task_struct *task,
					const struct process *p)
{
	if (p->state != PROCESS_WANTED && !p->check_after)
		return;
	if (!p->check_after || bpf_ktime_get_ns() > p->check_after)
		notice_send(count, task, task->tgid, p->check_after);
}

#endif
