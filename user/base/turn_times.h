/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * turn_times.h - how long the turns of the event loop took: what runs between two waits. As long as one
 * lasts nobody else is served.
 */
#ifndef PYPERF_BASE_TURN_TIMES_H
#define PYPERF_BASE_TURN_TIMES_H

#include "bpf/base/buckets.h"

/* Begins as 0. */
struct turn_times {
	__u64 turns[TIME_BUCKETS]; /* time_bucket() of us, so that the last is for all above 8 s */
	__u64 count;
	__u64 sum_ns, max_ns;
	__u64 cpu_max_ns; /* the most CPU time of one, however busy the machine is */
	__u64 own_max_ns; /* the longest one without its waiting for a CPU */
};

/*
 * ns is how long it took; cpu_ns of it the thread ran, and queued_ns of it the thread was ready to run and
 * had no CPU.
 */
void turn_times_add(struct turn_times *t, __u64 ns, __u64 cpu_ns, __u64 queued_ns);

/* The time that this share of the turns did not exceed, ns, to a quarter octave; 0 without turns. */
__u64 turn_times_quantile(const struct turn_times *t, double share);

#endif
