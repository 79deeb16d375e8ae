/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * quotas.h - the quotas of CPU time that held threads back while profiles were made, as their comments say it
 * (formats/pprof_header.c writes them). A cgroup of several profiles is one, with the sums.
 */
#ifndef PYPERF_RECORDED_QUOTAS_H
#define PYPERF_RECORDED_QUOTAS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define RECORDED_QUOTAS_MAX 16 /* cgroups that are kept */
#define RECORDED_QUOTA_PIDS 32

/* All numbers are what a file says, each below 2^53, and so are their sums. */
struct recorded_quota {
	char cgroup[256];
	__s64 quota_us, period_us;
	__s64 periods, ended_early, held_us, ran_us;
	__s64 pids[RECORDED_QUOTA_PIDS]; /* of processes in there */
	size_t pid_count;
	__u32 more, unused; /* more: there are others */
};

struct recorded_quotas {
	struct recorded_quota rows[RECORDED_QUOTAS_MAX];
	size_t count;
};

/* Whether the process is known to be in that cgroup. */
bool recorded_quota_has(const struct recorded_quota *q, __s64 pid);
/* A comment, which may say anything. */
void recorded_quotas_comment(struct recorded_quotas *q, const char *comment);

#endif
