/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * looked.h - the processes that are looked at, and what is known of their threads. In the sampler's process.
 */
#ifndef PYPERF_HOSTED_LOOKED_H
#define PYPERF_HOSTED_LOOKED_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/abi.h"
#include "hosted/rest.h"
#include "hosted/sample.h"
#include "hosted/threads.h"
#include "hosted/wall.h"

#define LOOKED_MAX	   16384     /* processes */
#define LOOKED_PIDS	   (1 << 22) /* PID_MAX_LIMIT of the kernel */
#define LOOKED_THREADS_MAX 1024 /* of a process */

struct looked_thread {
	struct sampled s;
	struct thread_runs runs;
	struct thread_wall wall;
	struct rest rest;
	__u32 accounted; /* struct process.id for which its account has begun */
	bool has_cpu;	 /* at the last look: it may go on without being given one */
	bool stateless;	 /* its sleep was looked at, and its thread state may be new */
	bool met;	 /* by the list that is being made */
};

struct looked {
	pid_t pid;
	__u64 start_ns, image, execs, user;
	__u64 clock;	  /* process_clock() at the last look */
	__u64 due, pause; /* clock_ns() before which one that is of no interest is left alone, ns */
	__u64 quiet; /* clock_ns() of the last look at which no thread of it had run since the one before */
	struct rest rest;
	struct kept_file stat;
	bool ran;		   /* at the last look a thread of it had a CPU */
	__u32 process;		   /* struct process.id, for which the threads' ids were found */
	__u64 ids_at;		   /* clock_ns() of that */
	bool ids_asked;		   /* there is a thread without one */
	unsigned int ids_searches; /* since the last new thread */
	unsigned int count, room, listed;
	struct looked_thread *threads;
	char comm[16];
};

/* Makes ready. 0 or -errno. */
int looked_open(const struct area *a);
/* NULL: it is none of them. */
struct looked *looked_find(pid_t pid);
/* It is one from now on, if there is room. */
void looked_add(pid_t pid, const struct process_now *now, __u64 execs);
/* Another number whenever the profiler has told of a process that is looked at from then on. */
unsigned int looked_told(void);
/* Its child has begun: that is told to the profiler. Returns the child's struct process.exec_id. */
__u64 looked_forked(const struct looked *parent, pid_t pid, const struct process_now *now);
/* Takes up those that are new in the table of processes, and lets go of those that are gone. */
void looked_sync(void);
/* One look at all of them, which stands for so many. */
void looked_take(unsigned int weight);
/* The account of each thread is counted. */
void looked_account(void);

#endif
