/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thread.h - what /proc says about one thread: whether it runs, and what it waits in. The thread goes on
 * meanwhile, so what is read in two files may be of two moments; thread.runs tells.
 */
#ifndef PYPERF_PROC_THREAD_H
#define PYPERF_PROC_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "proc/procfs.h"

#define THREAD_ARGUMENTS 3

/* thread.syscall, when it is no number. */
enum { THREAD_IN_NO_SYSCALL = -1, THREAD_SYSCALL_UNKNOWN = -2 };

/* Plain data without pointers: it travels between processes. */
struct proc_thread {
	pid_t tid;
	pid_t own_tid;			   /* as gettid() tells it: in the thread's own PID namespace */
	char name[PROCFS_NAME_SIZE];	   /* raw bytes, NUL-terminated */
	char state;			   /* R S D T t X Z I */
	__s32 syscall;			   /* its number, or one of the above */
	__u64 arguments[THREAD_ARGUMENTS]; /* the first of the system call's */
	__u64 runs;	/* how often it has been given a CPU; 0 = the kernel does not count that */
	int cpu;	/* the one that it is on, or was on last; -1 = unknown */
	__u64 last_ran; /* when it last was, on the clock of that CPU; 0 = unknown (sched_clocks.h) */
};

/*
 * The threads of a process, in the order of /proc. At most `most`; *ret_more says whether there are others.
 * 0, -ESRCH, -ENOMEM or another -errno. The caller frees *ret.
 */
int proc_threads(pid_t pid, size_t most, pid_t **ret, size_t *ret_count, bool *ret_more);

/*
 * Reads what is known of thread tid of process pid. 0, or -ESRCH when it is gone. What the kernel keeps from
 * us is unknown: that is no error.
 */
int proc_thread_read(pid_t pid, pid_t tid, struct proc_thread *ret);

/* Thread tid of process pid as thread.own_tid has it; if that cannot be read, tid. */
pid_t proc_thread_own_tid(pid_t pid, pid_t tid);

/* The number that a line of /proc/PID/syscall begins with, and its arguments. -EBADMSG if it is none. */
int proc_thread_parse_syscall(const char *text, struct proc_thread *ret);

#endif
