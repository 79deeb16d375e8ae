/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * watched.h - whether the events of a process other than ticks are of interest: its waits, and the changes of
 * its memory. Most switches of a machine are of programs that are not, so the answer no is what costs least.
 */
#ifndef PYPERF_BPF_EVENTS_WATCHED_H
#define PYPERF_BPF_EVENTS_WATCHED_H

#include "bpf/events/account.h"
#include "bpf/events/switch_clock.h"

#define IGNORED_FOR_GOOD (~0ULL) /* struct ignored.until: as long as nothing in the table changes */

/*
 * Asks user space about a process whose waits are not of interest as far as is known. Returns the
 * bpf_ktime_get_ns() until which there is no need to do so again, if nothing in the table changes; 0 = it may
 * prove to be of interest any time.
 */
static __noinline __u64 wait_ask(struct task_struct *task, struct cpu_stats *count)
{
	__u32 tgid = task->tgid;
	const struct process *p = bpf_map_lookup_elem(&processes, &tgid);
	const int is_known = p && p->start_time == task->group_leader->start_boottime;

	if (is_known && p->exec_id == task->self_exec_id) {
		process_ask(count, task, p);
		return p->state == PROCESS_WANTED ? 0 : p->check_after ?: IGNORED_FOR_GOOD;
	}
	if (tgid == opt_self || (!is_known && !opt_all))
		return IGNORED_FOR_GOOD;
	notice_send(count, task, tgid, 0);
	return 0;
}

/* What tells a process image from others that have had its number, beside that. */
static __always_inline __u32 image_of(const struct task_struct *task)
{
	return task->group_leader->start_boottime + task->self_exec_id;
}

/*
 * Whether this CPU remembers that the process is not of interest. at_switch: the scheduler is at work on the
 * task. The clock is asked only where the answer depends on it.
 */
static __always_inline int is_ignored(const struct task_struct *task, const struct scratch *s,
				      const int at_switch)
{
	const struct ignored *i = &s->ignored[task->tgid & (IGNORED - 1)];

	if (i->tgid != (__u32)task->tgid || i->stamp != *(volatile __u64 *)&processes_stamp ||
	    i->image != image_of(task))
		return 0;
	return i->until == IGNORED_FOR_GOOD ||
	       (at_switch ? switch_clock(task) : bpf_ktime_get_ns()) < i->until;
}

/*
 * The process, if it is of interest; else NULL, and this CPU remembers that, until anything in the table
 * changes, or user space is to be asked about it again. User space is asked about one that may be of
 * interest, and its waits are not begun until the answer: not each of them is looked at, and who has the
 * others would not be known.
 */
static __always_inline const struct process *watched_anew(struct task_struct *task, struct scratch *s,
							  struct cpu_stats *count)
{
	/* Read before the table, so that a change meanwhile is seen the next time. */
	const __u64 stamp = *(volatile __u64 *)&processes_stamp;
	struct ignored *i = &s->ignored[task->tgid & (IGNORED - 1)];
	const struct process *p = account_process(task, 0);

	if (p)
		return p;
	i->until = wait_ask(task, count);
	i->stamp = stamp;
	i->tgid = task->tgid;
	i->image = image_of(task);
	return NULL;
}

/* The process, if it is of interest; else NULL. Not for use at a switch. */
static __always_inline const struct process *watched_process(struct task_struct *task, struct scratch *s,
							     struct cpu_stats *count)
{
	return is_ignored(task, s, 0) ? NULL : watched_anew(task, s, count);
}

/* Whether the verdict on this process is still to come, after watched_process() has returned NULL. */
static __always_inline int is_undecided(const struct task_struct *task, const struct scratch *s)
{
	return !s->ignored[task->tgid & (IGNORED - 1)].until;
}

#endif
