/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * asyncio_layout.h - where one process keeps asyncio's tasks (CPython 3.14+). Two of its tables say it: the
 * section .AsyncioDebug (struct _Py_AsyncioModuleDebugOffsets, Modules/_asynciomodule.c) and
 * _Py_DebugOffsets. Both come from the process's memory, so each number is checked.
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

/* Offsets in bytes. */
struct asyncio_layout {
	struct object_offsets objects;
	struct coroutine_states states;
	__u16 task_size, task_name, task_awaited_by, task_is_task, task_awaited_by_is_set;
	__u16 task_coro, task_node;
	__u32 interp_tasks;		 /* head of the list of tasks whose thread has ended */
	__u32 tstate_loop, tstate_task; /* the loop and the task that run in a thread; NULL = none */
	__u32 tstate_tasks;		 /* head of the list of the thread's tasks */
};

/* Takes the words of .AsyncioDebug. 0; or -EINVAL if they cannot be true, and then *ret is as it was. */
int asyncio_layout_parse(const __u64 words[ASYNCIO_WORDS], struct asyncio_layout *ret);

/*
 * Reads both tables of the process that is reached through thread `memory`. 0; -ENOTSUP if its version does
 * not say where tasks are; -EINVAL if a table cannot be true; or the -errno of the read.
 */
int asyncio_layout_read(pid_t memory, const struct layout *layout, __u64 runtime, __u64 asyncio,
			struct asyncio_layout *ret);

#endif
