/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * held_back.h - how much of the time in which threads could run and did not is that of a quota, and not of
 * other programs that had the CPUs.
 */
#ifndef PYPERF_FINDINGS_HELD_BACK_H
#define PYPERF_FINDINGS_HELD_BACK_H

#include <linux/types.h>

struct recorded_quota;
struct scene;

/* In ns. While a CPU is held back one thread that would be on it waits, at most all those of the cgroup. */
struct held_back {
	__s64 ready;	   /* that its threads waited in run queues */
	__s64 least, most; /* of it by the quota */
};

struct held_back held_back_of(const struct scene *s, const struct recorded_quota *q);
/* The most of all quotas together. */
__s64 held_back_most(const struct scene *s);

#endif
