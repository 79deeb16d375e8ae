/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * usage.h - how much of the CPUs another process has had so far. All of it is 0 for pid 0, and for one that
 * has ended.
 */
#ifndef PYPERF_GUARD_USAGE_H
#define PYPERF_GUARD_USAGE_H

#include <sys/types.h>
#include <linux/types.h>

/* How long it has been ready to run without a CPU, ms; 0 on a kernel without CONFIG_SCHED_INFO. */
__u64 usage_waited_ms(pid_t pid);

/* CPU time that it has used. */
double usage_seconds(pid_t pid);

#endif
