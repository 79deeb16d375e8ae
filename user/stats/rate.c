// SPDX-License-Identifier: GPL-2.0-only
#include "stats/rate.h"

#include <stdio.h>

#include "kern/stats.h"
#include "kern/ticks.h"

/*
 * Below this part of what was asked for it is said. For perf events the kernel's own account of busy time is
 * the measure, often a sampled one: of 500 ticks it is 5 % off, so that chance does not come near.
 */
#define ENOUGH	      0.8
#define JUDGE_FROM     2000 /* expected ticks */
#define JUDGE_FROM_END 500

static void say(struct rate *r, __u64 ticks, __u64 expected, __u32 frequency)
{
	__u32 limit = frequency;

	ticks_limit_frequency(&limit);
	if (limit < frequency)
		complain(&r->too_few,
			 "the kernel ran the sampler %llu times of %llu: it lowered the sysctl "
			 "kernel.perf_event_max_sample_rate to %u; ask for less with --frequency",
			 ticks - r->ticks, expected - r->expected, limit);
	else
		complain(&r->too_few,
			 "the kernel ran the sampler %llu times of %llu: interrupts, a hypervisor or a CPU "
			 "that went offline took the time; a sample stands for more time instead",
			 ticks - r->ticks, expected - r->expected);
}

void rate_check(struct rate *r, const struct kernel *k, __u32 frequency, bool at_end)
{
	__u64 expected = kernel_expected(k);
	struct kernel_stats s;

	if (expected < r->expected + (at_end ? JUDGE_FROM_END : JUDGE_FROM))
		return;
	kernel_stats(k, &s);
	if (s.sum.ticks - r->ticks < ENOUGH * (expected - r->expected))
		say(r, s.sum.ticks, expected, frequency);
	else
		complaint_over(&r->too_few, "the kernel runs the sampler as often as it should again");
	r->ticks = s.sum.ticks;
	r->expected = expected;
}
