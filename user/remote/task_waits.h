/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task_waits.h - one look at all asyncio tasks of a live process (tasks.h), in the form in which the
 * kernel side takes stacks: without names, and with the fingerprints of code objects.
 *
 * It waits for as long as the process's pages make it wait, so it is meant for the worker process. Nothing
 * read is trusted.
 */
#ifndef PYPERF_REMOTE_TASK_WAITS_H
#define PYPERF_REMOTE_TASK_WAITS_H

#include "remote/seen_codes.h"
#include "remote/tasks.h"

#define TASK_WAITS_BYTES_MAX                                                                                 \
	(sizeof(struct task_waits) + TASKS_LISTED_MAX * sizeof(struct task_wait) +                           \
	 SEEN_CODES_MAX * sizeof(struct seen_code) + TASKS_FRAMES_MAX * sizeof(struct seen_frame))

/* Plain data: it travels between processes. */
struct task_wait {
	__u64 address;	    /* of its object */
	pid_t tid;	    /* as in struct task */
	__u32 state;	    /* enum task_state */
	__u32 first, count; /* of its frames, from the outermost on */
	__u32 awaiter;	    /* the number of the first task that awaits it, and 1; 0 = nobody does */
	__u32 others;	    /* how many others await it */
	__u32 cut;	    /* it has more frames */
	__u32 pad;
};

/* Followed by its tasks, these by the code objects, and these by all tasks' frames. */
struct task_waits {
	__u32 tasks, codes, frames;
	__u32 more;  /* not all tasks are listed */
	__u64 at_ns; /* when it was, CLOCK_MONOTONIC */
};

/* As tasks_look(), but that what is added to out is a struct task_waits and what follows it. */
int task_waits_look(pid_t pid, pid_t memory, const struct layout *layout, __u64 runtime, __u64 asyncio,
		    struct buf *out);

/*
 * Checks bytes of task_waits_look() that have come from another process: 0, and pointers into them; -EBADMSG
 * when a number in them is impossible.
 */
int task_waits_parse(const void *bytes, size_t size, const struct task_waits **ret,
		     const struct task_wait **ret_tasks, const struct seen_code **ret_codes,
		     const struct seen_frame **ret_frames);

#endif
