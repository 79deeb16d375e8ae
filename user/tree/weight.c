// SPDX-License-Identifier: GPL-2.0-only
#include "tree/weight.h"

#include <stdbool.h>

#include "base/clock.h"

/*
 * The expected number of perf events is known to some percent only, so a small loss cannot be told from none.
 * For a short time it is not known at all.
 */
#define ENOUGH	   0.9
#define JUDGE_FROM 500 /* expected ticks */

static bool is_short(__u64 came, __u64 expected)
{
	return expected >= JUDGE_FROM && came < ENOUGH * expected;
}

static __u64 wanted(const struct tick_counts *from, const struct tick_counts *to)
{
	const __u64 came = to->came - from->came, expected = to->expected - from->expected;

	return is_short(came, expected) ? expected : came;
}

static __u64 lack(const struct profile_cpu *c)
{
	return c->wanted - c->came;
}

/* Puts a CPU into its place among those that lack most. */
static void add_cpu(struct profile_info *info, struct profile_cpu c)
{
	const __u32 known = info->short_cpu_count++;

	for (__u32 i = 0; i < PROFILE_CPUS_MAX; i++) {
		struct profile_cpu other = info->short_cpus[i];

		if (i < known && lack(&other) >= lack(&c))
			continue;
		info->short_cpus[i] = c;
		if (i >= known)
			return;
		c = other;
	}
}

static void find_short_cpus(struct profile_info *info, const struct tick_counts *from,
			    const struct tick_counts *to)
{
	info->short_cpu_count = 0;
	for (__u32 cpu = 0; cpu < WEIGHT_CPUS; cpu++) {
		const struct profile_cpu c = { cpu, to->cpus[cpu].came - from->cpus[cpu].came,
					       to->cpus[cpu].expected - from->cpus[cpu].expected };

		if (is_short(c.came, c.wanted))
			add_cpu(info, c);
	}
}

void weight_set(struct profile_info *info, __u32 frequency, const struct tick_counts *from,
		const struct tick_counts *to)
{
	const __u64 came = to->came - from->came, all = wanted(from, to), ns = to->ns - from->ns;

	find_short_cpus(info, from, to);
	for (int i = 0; i < FULL_TABLES; i++)
		info->full[i] = to->full[i] - from->full[i];
	info->unanalysed = to->unanalysed - from->unanalysed;
	info->forbidden = to->forbidden - from->forbidden;
	info->frequency = to->frequency ?: frequency;
	info->period_ns = came && ns ? ns / came : NS_PER_SECOND / info->frequency;
	info->ticks_came = info->ticks_wanted = 0;
	if (!came || all <= came)
		return;
	info->ticks_came = came;
	info->ticks_wanted = all;
	info->period_ns = (double)info->period_ns * all / came;
}
