/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * grows.h - which process grows most, and whether that goes on.
 */
#ifndef PYPERF_FINDINGS_GROWS_H
#define PYPERF_FINDINGS_GROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

struct scene;

/* In bytes. */
struct growth {
	__s64 pid, grown, net;
};

/* Of the whole time. What processes leave when they end, where no Python runs any more, is not given back. */
struct growth grows_most(const struct scene *s);

/* By how much a process grew in all. */
__s64 grows_by(const struct scene *s, __s64 pid);

/*
 * Of several profiles, one after the other: of the process that grows most, rather of one that goes on to.
 * Its first interval, in which a program starts, is not part of it.
 */
struct growth_over_time {
	bool is_known; /* there are enough intervals to tell */
	bool goes_on;  /* it grew in most of them, and did so to the end */
	__s64 pid, grown, net;
	__s64 ns;
	size_t intervals, grew;
	double late_share; /* of the net growth: that of the later half */
};

/* 0 or -ENOMEM. */
int grows_over_time(const struct scene *s, struct growth_over_time *ret);

#endif
