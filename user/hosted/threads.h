/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * threads.h - what the kernel says, without any right, of processes and threads that are looked at: whether
 * they ran, and whether a thread has a CPU now. In the sampler's process.
 */
#ifndef PYPERF_HOSTED_THREADS_H
#define PYPERF_HOSTED_THREADS_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

#include "hosted/kept_file.h"

/* What /proc/PID/stat says. */
struct process_now {
	char comm[16];
	char state;
	bool of_the_kernel; /* it has no program */
	__u64 start_ns;	    /* on the boot clock */
	__u64 image;	    /* another number after an exec; 0 = that may not be known */
	unsigned int threads;
	pid_t parent;
};

/* 0, or -ESRCH, or another -errno. */
int process_now(pid_t pid, struct process_now *ret);
/* The same, for who asks often: the file stays open. */
int process_now_kept(pid_t pid, struct kept_file *file, struct process_now *ret);
/* CPU time of the process, ns; 0 = it has ended. It lags behind by the scheduler's tick, 10 ms at most. */
__u64 process_clock(pid_t pid);

/* A thread's schedstat: its time on CPUs, that in which it waited for one, and how often it was given one. */
struct thread_runs {
	__u64 ns, queued, runs;
};

/* When it began, on the boot clock, as exact as /proc has it; 0: it has ended. */
__u64 thread_began(pid_t pid, pid_t tid);
int thread_open(pid_t pid, pid_t tid); /* a descriptor, or -errno */
int thread_runs(int fd, struct thread_runs *ret);
/* Whether this kernel counts that; path is the schedstat of somebody who has run, such as oneself. */
bool thread_runs_are_counted(const char *path);

/*
 * A thread that is held has no CPU, as we have taken the one on which it was: so its stack stands still. That
 * lasts until another CPU fetches it, or until we sleep. The kernel counts how often a thread was given a
 * CPU, so that it is known afterwards whether it was held all the time.
 */
struct thread_hold {
	int fd; /* its schedstat */
	struct kept_file stat, sched;
	__u64 runs; /* how often it was given a CPU until it was held */
	bool held;
};

void thread_close(struct thread_hold *h);

/* From here on this process gets a CPU as soon as it wants one, as far as the kernel allows that. */
void thread_hold_begin(void);
/* To be called as soon as this process has slept, before thread_take(). late: ns since it wanted to wake. */
void thread_hold_woke(__u64 late);

enum thread_take {
	THREAD_WITHOUT, /* it has no CPU */
	THREAD_HELD,
	THREAD_LOST, /* it has, or had, a CPU, and was not held */
};

/*
 * Whether it has a CPU, and then takes that. The kernel counts how often a thread was given one, and how
 * often it left it: the two differ by one while it has one. Where we run on the CPU on which it was last, it
 * is this look that has taken it away if the kernel has last counted its time when we were woken, or when we
 * wanted to. h->fd is there. runs: its schedstat, read just before.
 */
enum thread_take thread_take(struct thread_hold *h, const struct thread_runs *runs, pid_t pid, pid_t tid,
			     char comm[16]);
/*
 * Whether it is off the CPU and not about to have one, and then holds it: until it is given a CPU it stands
 * still. *ret: the number of the system call that it is in; negative: it is in none. runs: its schedstat,
 * read before.
 */
bool thread_sleeps(struct thread_hold *h, pid_t pid, pid_t tid, const struct thread_runs *runs, int *ret);
/* The same for one that waits for a CPU, which thread_take() has found. */
void thread_waits(struct thread_hold *h, const struct thread_runs *runs);
/* Whether it was held from then until now. */
bool thread_is_held(const struct thread_hold *h);

#endif
