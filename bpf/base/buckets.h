/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * buckets.h - durations in steps of a quarter octave: bucket 4 * e + q holds 2^e * (1 + q/4) ns and more.
 */
#ifndef PYPERF_BPF_BASE_BUCKETS_H
#define PYPERF_BPF_BASE_BUCKETS_H

#include "bpf/abi/stats.h"

/* The bucket of a duration in ns; the last one for all above 8 ms. */
static inline __u32 time_bucket(__u64 ns)
{
	__u32 e = 0;

	if (ns >> 23)
		return TIME_BUCKETS - 1;
	for (__u32 step = 16; step; step >>= 1)
		if (ns >> (e + step))
			e += step;
	return 4 * e + (e >= 2 ? ns >> (e - 2) & 3 : 0);
}

/* The shortest duration in a bucket, ns. */
static inline __u64 time_bucket_floor(__u32 bucket)
{
	return (1ULL << bucket / 4) + ((1ULL << bucket / 4) * (bucket % 4) >> 2);
}

#endif
