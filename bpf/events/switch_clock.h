/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * switch_clock.h - what time it is at a switch or a wake-up. To ask a clock costs more than all else that is
 * done there: in a virtual machine 67 ns, three times what one needs to find a thread's entry and to count.
 * But the scheduler has just asked its own clock, and keeps the answer with the run queue, whose lock it
 * holds. So that is read, and what CLOCK_MONOTONIC is ahead of it is found out anew once in a millisecond.
 */
#ifndef PYPERF_BPF_EVENTS_SWITCH_CLOCK_H
#define PYPERF_BPF_EVENTS_SWITCH_CLOCK_H

#include "bpf/base/clock_ahead.h"
#include "bpf/data/maps.h"

/* CLOCK_MONOTONIC of what the scheduler does with this task, which belongs to a run queue, in ns. */
static __always_inline __u64 switch_clock(const struct task_struct *task)
{
	const struct rq *queue;
	struct scratch *s;
	__u64 clock;
	__u32 cpu;

	if (!bpf_core_field_exists(task->se.cfs_rq) || !bpf_core_field_exists(task->se.cfs_rq->rq))
		return bpf_ktime_get_ns();
	queue = task->se.cfs_rq->rq;
	cpu = queue->cpu;
	s = bpf_map_lookup_elem(&scratches, &cpu);
	if (!s)
		return bpf_ktime_get_ns();
	clock = queue->clock;
	if (clock_is_old(&s->clock, clock))
		clock_compare(&s->clock, clock, bpf_ktime_get_ns());
	return clock + s->clock.ahead;
}

/*
 * CLOCK_MONOTONIC of when the current task came to its CPU, in ns. now: switch_clock() of it, which is the
 * answer where a kernel does not keep that (CONFIG_SCHED_INFO).
 */
static __always_inline __u64 arrival_clock(const struct task_struct *task, __u64 now)
{
	if (!bpf_core_field_exists(task->sched_info.last_arrival) ||
	    !bpf_core_field_exists(task->se.cfs_rq) || !bpf_core_field_exists(task->se.cfs_rq->rq))
		return now;
	return now - (task->se.cfs_rq->rq->clock - task->sched_info.last_arrival);
}

#endif
