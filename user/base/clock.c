// SPDX-License-Identifier: GPL-2.0-only
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"

#define APART_NS 5000 /* between two readings of a clock, if nobody else ran */
#define TRIES    100

/* The thread may lose its CPU between two readings, for long where many want one: then they are read anew. */
static __u64 unix_ahead_of(clockid_t clock)
{
	__u64 least = ~0ULL, ahead = 0;

	for (int i = 0; i < TRIES && least > APART_NS; i++) {
		const __u64 before = clock_ns_of(clock), date = clock_unix_ns();
		const __u64 apart = clock_ns_of(clock) - before;

		if (apart >= least)
			continue;
		least = apart;
		ahead = date - before;
	}
	return ahead;
}

__s64 clock_boot_unix_ns(void)
{
	return (__s64)unix_ahead_of(CLOCK_BOOTTIME);
}

__u64 clock_unix_ahead_ns(void)
{
	static atomic_ullong kept;
	const __u64 now = unix_ahead_of(CLOCK_MONOTONIC), before = kept;
	const __s64 astray = now - before;

	if (before && llabs(astray) <= (long long)CLOCK_ASTRAY_NS)
		return before;
	kept = now;
	return now;
}
