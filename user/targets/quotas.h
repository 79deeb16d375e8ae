/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * quotas.h - how long the quotas of cgroups held back the threads of the processes that are profiled, as the
 * kernel counts it. The worker reads that when it looks in which container a process is: once when the
 * process becomes known, and then now and then, each second where there are few. So what is said of a stretch
 * of time is from the last reading before it to the last one in it.
 */
#ifndef PYPERF_TARGETS_QUOTAS_H
#define PYPERF_TARGETS_QUOTAS_H

#include <linux/types.h>

#include "proc/cpu_quota.h"
#include "profile/profile.h"

#define QUOTAS_MAX 64 /* cgroups; beyond that the one goes that nobody was met in for longest */

struct quota_row {
	__u32 number;			/* of its own; 0 = the row is free */
	__u32 pid_count, more;		/* more: there are others than those */
	__u32 pids[PROFILE_QUOTA_PIDS]; /* the last ones that were met there */
	__u64 met;
	struct cpu_quota first, last;
};

/* All 0 at first. */
struct quotas {
	struct quota_row rows[QUOTAS_MAX];
	__u32 numbers; /* that were given so far */
	__u64 meetings;
};

/* As in struct cpu_quota. */
struct quota_counts {
	__u64 periods, ended_early, held_us, ran_us;
};

/* What was counted when a stretch of time began. */
struct quotas_mark {
	struct {
		__u32 number;
		struct quota_counts counts;
	} rows[QUOTAS_MAX];
};

/* What was read of the process; where it has no quota, nothing happens. */
void quotas_meet(struct quotas *q, __u32 pid, const struct cpu_quota *read);
void quotas_set_mark(const struct quotas *q, struct quotas_mark *ret);
/* Puts those that held somebody back between the two marks into the info, the longest first. */
void quotas_between(const struct quotas *q, const struct quotas_mark *from, const struct quotas_mark *to,
		    struct profile_info *ret);

#endif
