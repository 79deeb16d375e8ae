/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sleepers.h - the stacks of some threads of a live process that sleep, as the kernel side would have found
 * them. Whether they did sleep all the time is for the caller to find out (bpf/events/outside_stack.h).
 *
 * It waits for as long as the process's pages make it wait, so it is meant for the worker process. Nothing
 * read is trusted.
 */
#ifndef PYPERF_REMOTE_SLEEPERS_H
#define PYPERF_REMOTE_SLEEPERS_H

#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "base/buf.h"
#include "bpf/abi.h"
#include "remote/seen_codes.h"

#define SLEEPERS_MAX	   512 /* threads of one look */
#define SLEEPERS_FRAMES_MAX (1U << 18)
#define SLEEPERS_BYTES_MAX                                                                                   \
	(sizeof(struct sleepers) + SLEEPERS_MAX * sizeof(struct sleeper) +                                   \
	 SEEN_CODES_MAX * sizeof(struct seen_code) +                                                  \
	 SLEEPERS_FRAMES_MAX * sizeof(struct seen_frame))

/* Plain data, all of it: it travels between processes. */
struct sleepers_question {
	__u32 count;	 /* threads */
	__u32 max_depth; /* Python frames of each that are wanted */
	pid_t tids[SLEEPERS_MAX];
};

struct sleeper {
	pid_t tid;
	__u32 outcome;	    /* enum outcome, one whose stack may be in the profile */
	__u32 first, count; /* of its frames, from the root on */
};

/* Followed by its threads, these by the code objects, and these by all threads' frames. */
struct sleepers {
	__u32 threads, codes, frames;
	__u32 pad;
};

/*
 * Looks at these threads of process pid, which is reached through its thread `memory`
 * (procfs_memory_tid()), and has its runtime at that address. Adds a struct sleepers and what follows it to
 * out; after 100 ms of CPU time, or when there is no room, with no more threads than it has come to. 0,
 * -ESRCH, -EPERM, -ENOMEM or another -errno; then out is as it was.
 */
int sleepers_look(pid_t pid, pid_t memory, const struct layout *layout, __u64 runtime,
		  const struct sleepers_question *question, struct buf *out);

/*
 * Checks bytes of sleepers_look() that have come from another process: 0, and pointers into them; -EBADMSG
 * when a number in them is impossible.
 */
int sleepers_parse(const void *bytes, size_t size, const struct sleepers **ret,
		   const struct sleeper **ret_threads, const struct seen_code **ret_codes,
		   const struct seen_frame **ret_frames);

#endif
