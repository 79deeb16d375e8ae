/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * look.h - one look at all threads of a live process: what each of them does, and its Python frames. The
 * process is not stopped. The stack of a thread that did not run meanwhile is of one moment. Of a thread that
 * goes on, only those callers count that two walks in a row have found alike.
 *
 * It waits for as long as the process's pages make it wait, so it is meant for the worker process. Nothing
 * read is trusted.
 */
#ifndef PYPERF_REMOTE_LOOK_H
#define PYPERF_REMOTE_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "base/buf.h"
#include "bpf/abi.h"
#include "proc/thread.h"
#include "remote/task_reader.h"
#include "remote/thread_names.h"

#define LOOK_THREADS_MAX 2048
#define LOOK_FRAMES_MAX	 (1U << 18) /* of all threads together */
#define LOOK_FILE_SIZE	 96
#define LOOK_BYTES_MAX                                                                                       \
	(sizeof(struct look) + LOOK_THREADS_MAX * sizeof(struct look_thread) +                               \
	 LOOK_FRAMES_MAX * sizeof(struct look_frame))

/* How a thread's stack ends. */
enum look_end {
	LOOK_WHOLE = 1, /* at the interpreter's root */
	LOOK_C_THREAD,	/* it has no thread state: it is not Python's, or only begins or ends */
	LOOK_NO_STATE,	/* none was found, and not all were seen */
	LOOK_NO_FRAMES, /* it has one, and runs no Python code */
	LOOK_DEEP,	/* there are more frames than are shown, at its root */
	LOOK_BROKEN,	/* its frames do not lead to a root */
	LOOK_ENDS
};

enum look_gil { LOOK_GIL_NOT, LOOK_GIL_HOLDS, LOOK_GIL_WAITS };

struct look_frame {
	__u64 code;  /* address of its code object */
	__u32 instr; /* node_instr() */
	__u32 pad;
};

/* Plain data: it travels between processes. */
struct look_thread {
	struct proc_thread thread;
	__u64 seen_ns;	    /* CLOCK_MONOTONIC, when it was looked at */
	__u64 waited_ns;    /* since it last had a CPU; 0 = unknown, or it runs. Left to dumped_look() */
	__u32 first, count; /* of its frames, leaf first */
	__u32 end;	    /* enum look_end */
	__u32 gil;	    /* enum look_gil */
	pid_t gil_holder;   /* the thread that had the GIL at that moment; 0 = none, or it is not known */
	__u32 runs;	    /* it ran during the look: its newest frames may be left out */
	__u32 pad;
	__s32 fd;			/* what its system call is about; -1 = none, or unknown */
	__u64 task_address;		/* of the asyncio task that it runs; 0 = none, or unknown */
	char called[THREAD_NAME_BYTES]; /* what the program calls it; "" = as the kernel does, thread.name */
	char task[TASK_NAME_SIZE];	/* its name; "" = none, or unknown */
	char file[LOOK_FILE_SIZE];	/* what that is, as in /proc/PID/fd, or socket_name(); may be cut */
};

/* Followed by its threads, and these by their frames. */
struct look {
	__u32 threads, frames;
	__u32 more; /* there are more threads, or frames, than are listed */
	__u32 pad;
};

/*
 * Looks at process pid, which is reached through its thread `memory` (procfs_memory_tid()), and has its
 * runtime at that address, and its asyncio at that one (struct identity; 0 = none). Adds a struct look and
 * what follows it to out. 0, -ESRCH, -EPERM, -ENOMEM or another -errno; then out is as it was.
 */
int look_at_threads(pid_t pid, pid_t memory, const struct layout *layout, __u64 runtime, __u64 asyncio,
		    struct buf *out);

/*
 * Checks bytes of look_at_threads() that have come from another process: 0, and pointers into them; -EBADMSG
 * when a number in them is impossible. Texts are NUL-terminated then.
 */
int look_parse(void *bytes, size_t size, const struct look **ret, struct look_thread **ret_threads,
	       const struct look_frame **ret_frames);

#endif
