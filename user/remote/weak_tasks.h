/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weak_tasks.h - which asyncio tasks there are, and which run, where no list of the process's says it
 * (CPython 3.8 to 3.13): the objects of module _asyncio do (python/asyncio_search.h). Nothing read is
 * trusted.
 */
#ifndef PYPERF_REMOTE_WEAK_TASKS_H
#define PYPERF_REMOTE_WEAK_TASKS_H

#include "remote/task_list.h"
#include "remote/thread_states.h"

#define WEAK_LOOPS 256 /* event loops that run */

/* Event loops that run, and in which threads they do. */
struct weak_loops {
	size_t count;
	struct {
		__u64 loop;
		__u64 tstate;
		size_t state; /* its number in the list of thread states */
		pid_t tid;    /* left to the caller; 0 = not known */
	} list[WEAK_LOOPS];
};

void weak_loops_read(struct weak_loops *loops, struct task_reader *r, const struct thread_states *states);

/*
 * Adds all tasks. A list that always changes while it is read sets more. 0, or an error as of
 * task_list_read().
 */
int weak_tasks_list(struct task_list *list, struct task_reader *r, const struct weak_loops *loops);

/* The task that the thread with this thread state runs; 0 = none. 0 or an error as of task_reader_read(). */
int weak_tasks_running(struct task_reader *r, __u64 tstate, __u64 *ret_task);

#endif
