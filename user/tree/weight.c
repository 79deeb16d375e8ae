// SPDX-License-Identifier: GPL-2.0-only
#include "tree/weight.h"

#include "base/clock.h"

/*
 * Of perf events it is known to some percent how many were expected, so that a small loss cannot be told from
 * none; and of a short time it is not known at all.
 */
#define ENOUGH	   0.9
#define JUDGE_FROM 500 /* expected ticks */

static __u64 wanted(const struct tick_counts *from, const struct tick_counts *to)
{
	__u64 sent = to->came - from->came + to->dropped - from->dropped;
	__u64 expected = to->expected - from->expected;

	return expected >= JUDGE_FROM && sent < ENOUGH * expected ? expected : sent;
}

void weight_set(struct profile_info *info, __u32 frequency, const struct tick_counts *from,
		const struct tick_counts *to)
{
	const __u64 came = to->came - from->came, all = wanted(from, to);

	info->period_ns = NS_PER_SECOND / frequency;
	info->ticks_came = info->ticks_wanted = 0;
	if (!came || all <= came)
		return;
	info->ticks_came = came;
	info->ticks_wanted = all;
	info->period_ns = (double)info->period_ns * all / came;
}
