/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock_ahead.h - by how much one clock is ahead of another, which is asked a moment earlier
 * (events/switch_clock.h).
 */
#ifndef PYPERF_BPF_BASE_CLOCK_AHEAD_H
#define PYPERF_BPF_BASE_CLOCK_AHEAD_H

#include "bpf/data/clock_pair.h"

#define CLOCK_GRAIN (1ULL << 20) /* ns; when the two are compared again */
#define CLOCK_DRIFT 10		 /* one gains less than 2^-10 on the other, ... */
#define CLOCK_JUMP  (1ULL << 28) /* ... but for jumps of so many ns and more */

static __always_inline int clock_is_old(const struct clock_pair *c, __u64 other)
{
	return other - c->at >= CLOCK_GRAIN;
}

/*
 * Compares the two. Between the two questions a moment has passed, which can be long: then the one clock
 * seems to be further ahead than it is. So the least that is seen counts, and it grows by no more than clocks
 * drift.
 */
static __always_inline void clock_compare(struct clock_pair *c, __u64 other, __u64 now)
{
	const __u64 gained = now - other - c->ahead, passed = other - c->at, most = passed >> CLOCK_DRIFT;
	const int is_less = (__s64)gained < 0;

	c->ahead += is_less || gained >= CLOCK_JUMP || gained < most ? gained : most;
	c->at = other;
}

#endif
