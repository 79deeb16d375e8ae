/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task.h - what /proc says about one thread: whether it runs, and what it waits in. The thread goes on
 * meanwhile, so what is read in two files may be of two moments; task.runs tells.
 */
#ifndef PYPERF_PROC_TASK_H
#define PYPERF_PROC_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "proc/procfs.h"

#define TASK_ARGUMENTS 3

/* task.syscall, when it is no number. */
enum { TASK_IN_NO_SYSCALL = -1, TASK_SYSCALL_UNKNOWN = -2 };

/* Plain data without pointers: it travels between processes. */
struct task {
	pid_t tid;
	pid_t own_tid; /* as gettid() tells it: in the thread's own PID namespace */
	char name[PROCFS_NAME_SIZE]; /* raw bytes, NUL-terminated */
	char state;	  /* R S D T t X Z I */
	__s32 syscall; /* its number, or one of the above */
	__u64 arguments[TASK_ARGUMENTS]; /* the first of the system call's */
	__u64 runs;	  /* how often it has been given a CPU; 0 = the kernel does not count that */
	int cpu;	  /* the one that it is on, or was on last; -1 = unknown */
	__u64 last_ran;	  /* when it last was, on the clock of that CPU; 0 = unknown (sched_clocks.h) */
};

/*
 * The threads of a process, in the order of /proc. At most `most`; *ret_more says whether there are others.
 * 0, -ESRCH, -ENOMEM or another -errno. The caller frees *ret.
 */
int tasks_of(pid_t pid, size_t most, pid_t **ret, size_t *ret_count, bool *ret_more);

/*
 * Reads what is known of thread tid of process pid. 0, or -ESRCH when it is gone. What the kernel keeps from
 * us is unknown: that is no error.
 */
int task_read(pid_t pid, pid_t tid, struct task *ret);

/* Thread tid of process pid as task.own_tid has it; if that cannot be read, tid. */
pid_t task_own_tid(pid_t pid, pid_t tid);

/* The number that a line of /proc/PID/syscall begins with, and its arguments. -EBADMSG if it is none. */
int task_parse_syscall(const char *text, struct task *ret);

#endif
