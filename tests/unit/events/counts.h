/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counts.h - how much each kind of event has counted, for tests of all kinds.
 */
#ifndef PYPERF_TESTS_COUNTS_H
#define PYPERF_TESTS_COUNTS_H

#include "bpf/abi.h"

#define CPU_COUNT    7ULL
#define WAIT_NS	     2500000000ULL
#define GROWTH_BYTES (3ULL << 20)
#define PERIOD_NS    10000000

/* By kind: what outer and inner, called from there, have. set_others() sets those that are not here. */
static __u64 of_outer[EVENT_KINDS] = {
	[EVENT_CPU] = CPU_COUNT, [EVENT_OFFCPU] = 4000, [EVENT_MEMORY] = 12288, [EVENT_WAIT] = WAIT_NS
};
static __u64 of_inner[EVENT_KINDS] = {
	[EVENT_CPU] = 1, [EVENT_SHRINKAGE] = 8192, [EVENT_GROWTH] = GROWTH_BYTES
};

/* What wall time is if the kinds have counted so much: a tick stands for its period. */
static inline __u64 wall_of(const __u64 *counts)
{
	__u64 ns = 0;

	for (int kind = 0; kind < EVENT_KINDS; kind++)
		if (event_rows[kind].wall == WALL_ALWAYS || event_rows[kind].wall == WALL_WHEN_ASKED)
			ns += event_is_tick(kind) ? counts[kind] * PERIOD_NS : counts[kind];
	return ns;
}

static inline void set_others(void)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		if (!of_outer[kind] && !of_inner[kind] && event_rows[kind].wall != WALL_SUM)
			of_outer[kind] = 50 + kind;
	of_outer[EVENT_WALL] = wall_of(of_outer);
	of_inner[EVENT_WALL] = wall_of(of_inner);
}

static inline __u64 total_of(enum event_kind kind)
{
	return of_outer[kind] + of_inner[kind];
}

static inline void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no %s in:\n%s", part, text);
}

#endif
