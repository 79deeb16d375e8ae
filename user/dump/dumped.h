/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dumped.h - one process as it was looked at: what it is, its threads or its asyncio tasks, and the names of
 * their frames.
 */
#ifndef PYPERF_DUMP_DUMPED_H
#define PYPERF_DUMP_DUMPED_H

#include <sys/types.h>

#include "names/codes.h"
#include "proc/container.h"
#include "proc/procfs.h"
#include "python/identify.h"
#include "remote/look.h"
#include "remote/tasks.h"

struct asker;
struct sched_clocks;

struct dumped {
	pid_t pid;
	char name[PROCFS_NAME_SIZE];
	struct identity identity;
	struct container container;
	const struct look *look; /* the threads that were seen; NULL: there was no such look */
	struct look_thread *threads;
	const struct tasks *tasks; /* the tasks that were seen; NULL: nobody looked for tasks */
	const struct task *task_list;
	const __u32 *awaiters; /* of the tasks */
	const struct look_frame *frames;
	__u32 frame_count;
	__u32 *numbers; /* of each frame's code object, in codes */
	struct codes *codes;
	void *bytes;	      /* what all of these but codes point into */
	struct dumped *async; /* a look at the tasks as well; NULL: there was none */
};

/* What the process is. 0, -ESRCH, -EPERM, -EACCES, -ETIMEDOUT or another -errno; then *ret is as it was. */
int dumped_identify(const struct asker *asker, pid_t pid, struct dumped *ret);
/*
 * Looks at the threads of a process that dumped_identify() has found to be a Python with a layout, and reads
 * the names of their frames. 0, or as above. dumped_free() in any case.
 */
int dumped_look(const struct asker *asker, const struct sched_clocks *clocks, struct dumped *d);
/*
 * Looks at its asyncio tasks instead. -ENOTSUP: those of its version cannot be read, or not with its tables.
 * One that has not imported asyncio has none.
 */
int dumped_look_at_tasks(const struct asker *asker, struct dumped *d);
/* After dumped_look(): fills async, if the process has tasks that can be read. 0, or as above. */
int dumped_add_tasks(const struct asker *asker, struct dumped *d);
void dumped_free(struct dumped *d);

/* Names frame number i of d->frames. Strings live as long as d. */
void dumped_name(const struct dumped *d, __u32 i, struct code_line *ret);

#endif
