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

/* What /proc/PID/stat says. */
struct process_now {
	char comm[16];
	char state;
	__u64 start_ns; /* on the boot clock */
	__u64 image;	/* another number after an exec; 0 = that may not be known */
	unsigned int threads;
	pid_t parent;
};

/* 0, or -ESRCH, or another -errno. */
int process_now(pid_t pid, struct process_now *ret);
/* CPU time of the process, ns; 0 = it has ended. It lags behind by the scheduler's tick, 10 ms at most. */
__u64 process_clock(pid_t pid);

/* A thread's schedstat: its time on CPUs, and how often it was given one. */
struct thread_runs {
	__u64 ns, runs;
};
int thread_open(pid_t pid, pid_t tid); /* a descriptor, or -errno */
int thread_runs(int fd, struct thread_runs *ret);

/*
 * Whether it has a CPU. The kernel counts how often a thread was given one, and how often it left it: the two
 * differ by one while it has one. Where we run on the CPU on which it was last, and it waits for one, it is
 * this look that has taken it away.
 */
bool thread_has_cpu(pid_t pid, pid_t tid, const struct thread_runs *r, char comm[16]);

#endif
