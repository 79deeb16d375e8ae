/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tasks.h - one look at all asyncio tasks of a live process: which there are, what each
 * awaits, and who awaits it. The process is not stopped. What is shown of one task is of one moment; a task
 * that goes on while it is looked at is marked, and has no frames. Different tasks are of different moments.
 *
 * It waits for as long as the process's pages make it wait, so it is meant for the worker process. Nothing
 * read is trusted.
 */
#ifndef PYPERF_REMOTE_TASKS_H
#define PYPERF_REMOTE_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "base/buf.h"
#include "bpf/abi.h"
#include "remote/look.h"
#include "remote/task_reader.h"

#define TASKS_LISTED_MAX   16384
#define TASKS_FRAMES_MAX   (1U << 17) /* of all tasks together */
#define TASKS_AWAITERS_MAX (1U << 16) /* of all tasks together */
#define TASKS_BYTES_MAX                                                                                      \
	(sizeof(struct tasks) + TASKS_LISTED_MAX * sizeof(struct task) +                                     \
	 TASKS_FRAMES_MAX * sizeof(struct look_frame) + TASKS_AWAITERS_MAX * sizeof(__u32))

enum task_state {
	TASK_WAITS = 1, /* suspended in its last frame; what it awaits may be there already */
	TASK_RUNS,	/* a thread executes it; its frames are that thread's */
	TASK_NOT_BEGUN,
	TASK_ENDED,   /* it has ended, and somebody still holds it */
	TASK_FUTURE,  /* it is no task but a future, that awaits others */
	TASK_CHANGED, /* it went on while it was looked at, or could not be read: no frames */
	TASK_UNREAD,  /* there are too many: it is only known to be there */
	TASK_STATES
};

/* Plain data: it travels between processes. */
struct task {
	__u64 address; /* of its object, which is its id in asyncio's own tools */
	pid_t tid;     /* the thread whose loop has it; 0 = none: its thread has ended, or it is in no list */
	__u32 state;   /* enum task_state */
	__u32 first_frame, frames;     /* outermost first */
	__u32 first_awaiter, awaiters; /* numbers of the tasks that await it */
	__u32 cut;		       /* it has more frames, or more that await it, than are listed */
	__u32 other; /* something else than a task or a future is told of its end (up to 3.13) */
	__u32 pad;
	char name[TASK_NAME_SIZE]; /* UTF-8, "" = unknown; may be cut */
};

/* Followed by its tasks, these by their frames, and these by the numbers of those that await them. */
struct tasks {
	__u32 tasks, frames, awaiters;
	__u32 more; /* not all tasks are listed: there are too many, or they came and went */
};

/*
 * Looks at process pid, which is reached through its thread `memory` (procfs_memory_tid()), and has its
 * runtime and its asyncio at these addresses (struct identity). Adds a struct tasks and what follows it to
 * out. 0; -ENOTSUP if tasks of its version cannot be read; -EINVAL if its tables cannot be true, -EPROTO if
 * its objects are not as in builds that are known; -ESRCH, -EPERM, -ENOMEM or another -errno. After a
 * failure out is as it was.
 */
int tasks_look(pid_t pid, pid_t memory, const struct layout *layout, __u64 runtime, __u64 asyncio,
	       struct buf *out);

/*
 * Checks bytes of tasks_look() that have come from another process: 0, and pointers into them; -EBADMSG when
 * a number in them is impossible. Names are NUL-terminated then.
 */
int tasks_parse(const void *bytes, size_t size, const struct tasks **ret, const struct task **ret_tasks,
		const struct look_frame **ret_frames, const __u32 **ret_awaiters);

#endif
