// SPDX-License-Identifier: GPL-2.0-only
#include "base/turn_times.h"

void turn_times_add(struct turn_times *t, __u64 ns, __u64 cpu_ns, __u64 queued_ns)
{
	const __u64 own = ns > queued_ns ? ns - queued_ns : 0;

	t->turns[time_bucket(ns / 1000)]++;
	t->count++;
	t->sum_ns += ns;
	if (ns > t->max_ns)
		t->max_ns = ns;
	if (cpu_ns > t->cpu_max_ns)
		t->cpu_max_ns = cpu_ns;
	if (own > t->own_max_ns)
		t->own_max_ns = own;
}

__u64 turn_times_quantile(const struct turn_times *t, double share)
{
	__u64 seen = 0;
	__u32 i;

	for (i = 0; i < TIME_BUCKETS - 1; i++) {
		seen += t->turns[i];
		if (seen > share * t->count)
			break;
	}
	if (i == TIME_BUCKETS - 1) /* of all that is longer than the octaves before */
		i = TIME_BUCKETS - 4;
	return t->count ? 1000 * time_bucket_floor(i) : 0;
}
