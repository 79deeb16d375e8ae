/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpu_quota.h - the quota of CPU time that a cgroup has, and how often and how long it held threads back: the
 * kernel's own counts, of cgroups version 1 and 2. It is that of the process's own cgroup, or of the nearest
 * one above it that has any.
 */
#ifndef PYPERF_PROC_CPU_QUOTA_H
#define PYPERF_PROC_CPU_QUOTA_H

#include <linux/types.h>

#define CPU_QUOTA_PATH_SIZE 512

/* Counts are since the cgroup was made, of all CPUs. Plain data: it travels between processes. */
struct cpu_quota {
	char path[CPU_QUOTA_PATH_SIZE]; /* of the cgroup; "" = there is no quota, or it cannot be seen */
	__u64 quota_us, period_us;	/* so much of each period */
	__u64 periods, ended_early;	/* those in which something ran, and in which it was too much */
	__u64 held_us;			/* how long CPUs did not run what was ready there */
	__u64 ran_us; /* how long they did; where that is not known, as long as the quota allows */
};

/* From the text of /proc/PID/cgroup. Everything is 0 where there is no quota, or where it cannot be read. */
void cpu_quota_read(const char *cgroups, struct cpu_quota *ret);

#endif
