/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process.h - which process the current task belongs to, and the question to user space when that is unknown.
 */
#ifndef PYPERF_PROCESS_H
#define PYPERF_PROCESS_H

#include "maps.h"
#include "tree.h"

#define NOTICE_PAUSE 20 /* ms between two reports of one process */

/* Its record would take the stack that the walk needs, were it inlined into the sampler: 512 bytes are all there is. */
static __noinline void notice_send(struct cpu_stats *stats, struct task_struct *task, __u32 tgid)
{
	__u32 slot = (__u32)mix(tgid) & (NOTICES - 1), ms = bpf_ktime_get_ns() >> 20;
	__u64 *last = bpf_map_lookup_elem(&notices, &slot);
	struct event_process e = {
		.type = EVENT_PROCESS,
		.pid = tgid,
		.start_time = task->group_leader->start_boottime,
		.exec_id = task->self_exec_id,
	};

	if (!last || (*last >> 32 == tgid && ms - (__u32)*last < NOTICE_PAUSE))
		return;
	*last = (__u64)tgid << 32 | ms;
	bpf_probe_read_kernel_str(e.comm, sizeof(e.comm), task->group_leader->comm);
	if (bpf_ringbuf_output(&events, &e, sizeof(e), BPF_RB_FORCE_WAKEUP))
		stats->ring_full++;
	else
		stats->notices++;
}

/* This CPU's copy of what is known of a process, taken again when anything about any process has changed. */
static __always_inline struct process *process_copy(struct scratch *s, __u32 tgid)
{
	const __u64 stamp = *(volatile __u64 *)&processes_stamp; /* read first: a change during the copy undoes it */
	const struct process *p;

	if (s->known_tgid == tgid && s->known_stamp == stamp)
		return &s->known;
	p = bpf_map_lookup_elem(&processes, &tgid);
	s->known_tgid = 0;
	if (!p)
		return NULL;
	s->known = *p;
	s->known_tgid = tgid;
	s->known_stamp = stamp;
	return &s->known;
}

/* Writes back what this sample has found out about its process. */
static __always_inline void process_note(const struct scratch *s, __u32 tgid, __u64 now)
{
	struct process *p = bpf_map_lookup_elem(&processes, &tgid);

	if (!p || p->id != s->known.id)
		return;
	p->no_generation |= s->no_generation;
	if (p->unsettled != UNSETTLED_ALWAYS)
		p->unsettled = s->unsettled & UNSETTLED_REUSED ? UNSETTLED_ALWAYS : now;
	__sync_fetch_and_add(&processes_stamp, 1);
}

/*
 * What is known of the current task's process image. After an exec it is nothing, but a selected process stays
 * selected: *wanted then says to ask about it.
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

#endif
