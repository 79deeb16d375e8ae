/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * usage.h - how much of the CPUs another process has had so far. All of it is 0 for pid 0, and for one that
 * has ended.
 */
#ifndef PYPERF_GUARD_USAGE_H
#define PYPERF_GUARD_USAGE_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

/*
 * How long it has been ready to run without a CPU, ms; 0 on a kernel without CONFIG_SCHED_INFO. The kernel
 * adds a wait when it has ended (sched_info_arrive() of Linux 6.18).
 */
__u64 usage_waited_ms(pid_t pid);

/* Whether it runs, or would if it had a CPU. */
bool usage_is_ready(pid_t pid);

/* CPU time that it has used. */
double usage_seconds(pid_t pid);

/* The same of a group of processes at one moment. */
struct usage {
	__u64 at_ms;	 /* clock_ms() */
	__u64 waited_ms; /* of all of them */
	double seconds;	 /* of all of them */
	bool is_ready;	 /* one of them is */
};

/*
 * Whether they had no CPU for most of the time between, though one was ready to run: by the waits that have
 * ended, or since one is ready and has hardly run.
 */
bool usage_mostly_waits(const struct usage *before, const struct usage *now);

#endif
