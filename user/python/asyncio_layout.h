/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * asyncio_layout.h - where one process keeps asyncio's tasks. From CPython 3.14 on two of its tables say it:
 * the section .AsyncioDebug (struct _Py_AsyncioModuleDebugOffsets, Modules/_asynciomodule.c) and
 * _Py_DebugOffsets. Before that it is found (asyncio_search.h). All of it comes from the process's memory, so
 * each number is checked.
 */
#ifndef PYPERF_PYTHON_ASYNCIO_LAYOUT_H
#define PYPERF_PYTHON_ASYNCIO_LAYOUT_H

#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "bpf/abi.h"
#include "python/layout.h"

#define ASYNCIO_WORDS	  13  /* of .AsyncioDebug, 64 bits each */
#define ASYNCIO_TASK_READ 512 /* bytes of a task object that are read: task_size is at most this */

/* Objects of module _asyncio, and an offset that the machine code of its getters has (3.8 to 3.13). */
struct asyncio_found {
	__u64 task_type, future_type;
	__u64 weak_tasks;   /* the set of weak references to all tasks, */
	__u64 eager_tasks;  /* ... and the set of those that were begun at once (3.12+); 0 = there is none */
	__u64 current;	    /* the dict from a loop to the task that it runs */
	__u64 group_type;   /* TaskGroup (3.11+); 0 = it has not been imported */
	__u64 partial_type; /* functools.partial; 0 = it was not found */
	__u16 waiter;	    /* task_fut_waiter */
	__u16 future_size;
	__u8 resume; /* 1 in 3.11, 2 in 3.12: only the next instruction tells `yield` from `await` */
};

/* Offsets in bytes. */
struct asyncio_layout {
	struct object_offsets objects;
	struct coroutine_states states;
	__u16 task_size, task_name, task_awaited_by, task_is_task, task_awaited_by_is_set;
	__u16 task_coro, task_node;
	__u32 interp_tasks;		/* head of the list of tasks whose thread has ended */
	__u32 tstate_loop, tstate_task; /* the loop and the task that run in a thread; NULL = none */
	__u32 tstate_tasks;		/* head of the list of the thread's tasks */
	/*
	 * Up to 3.13, else NULL. Of what is above objects, states, task_size, task_name and task_coro are set
	 * then.
	 */
	const struct task_facts *facts;
	struct asyncio_found found;
};

/* Takes the words of .AsyncioDebug. 0; or -EINVAL if they cannot be true, and then *ret is as it was. */
int asyncio_layout_parse(const __u64 words[ASYNCIO_WORDS], struct asyncio_layout *ret);

/*
 * Reads both tables of the process that is reached through thread `memory`, or finds what they would say.
 * asyncio: the address of .AsyncioDebug, or up to 3.13 of the dict of module _asyncio. 0; -ENOTSUP if tasks
 * of its version cannot be found; -EINVAL if a table cannot be true; -EPROTO if objects are not where they
 * are in builds that are known; -EAGAIN if no task is alive by which that could be proved; or the -errno of
 * the read.
 */
int asyncio_layout_read(pid_t memory, const struct layout *layout, __u64 runtime, __u64 asyncio,
			struct asyncio_layout *ret);

#endif
