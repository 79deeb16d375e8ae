/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * forge_run_stats.h - a report in which every number is another one, and the names of export_stats.def with
 * their places in it.
 */
#ifndef PYPERF_TESTS_FORGE_RUN_STATS_H
#define PYPERF_TESTS_FORGE_RUN_STATS_H

#include <string.h>

#include "stats/books.h"
#include "stats/run_stats.h"
#include "tests/forge/test.h"

static const struct {
	const char *name, *help;
	size_t offset;
} exports[] = {
#define EXPORT_STAT(name, help) { #name, help, offsetof(struct export_stats, name) },
#include "stats/export_stats.def"
#undef EXPORT_STAT
};

static struct run_stats report;
static __u64 in_profile, outside;

static inline __u64 *counter(size_t row)
{
	return (__u64 *)((char *)&report.kernel.sum + stat_rows[row].offset);
}

/* Every number in it is another one. */
static inline int setup(void **state)
{
	(void)state;
	memset(&report, 0, sizeof(report));
	in_profile = outside = 0;
	for (size_t i = 0; i < stat_row_count; i++)
		*counter(i) = 5000000 + i;
	for (size_t i = 0; i < ARRAY_SIZE(exports); i++)
		*(__u64 *)((char *)&report.export + exports[i].offset) = 6000000 + i;
	for (size_t i = 0; i < OUTCOME_COUNT; i++) {
		__u64 n = 1000 + (1ULL << i);

		report.kernel.sum.outcome[EVENT_CPU][i] = n;
		if (!event_has_outcome(EVENT_CPU, i)) {
			report.kernel.sum.outcome[EVENT_CPU][i] = 0;
			continue;
		}
		*(outcome_rows[i].place == PLACE_OUTSIDE ? &outside : &in_profile) += n;
	}
	report.kernel.sum.ticks = in_profile + outside;
	report.kernel.runs = 4000001;
	report.kernel.run_time_ns = 4000002000;
	report.kernel.other_runs = 4000003;
	report.kernel.other_time_ns = 4000004;
	report.harvest =
		(struct harvest_stats){ .samples = { in_profile }, .nodes = 4000006, .locations = 4000007 };
	report.codes = (struct codes_stats){ .codes = 4000008, .decodes = 4000009, .missing = 4000010 };
	report.processes = 4000010;
	report.unlooked = 4000014;
	report.seconds = 12.5;
	report.cpu_seconds = 0.25;
	report.start_cpu_seconds = 0.125;
	report.rss_bytes = 4000011;
	report.map_bytes = 4000012;
	report.cpus = 13;
	report.events = EVENT_BIT(EVENT_CPU);
	report.frequency = 99;
	report.trigger = TRIGGER_TIMER;
	report.home = "kernel";
	report.expected = 4000013;
	turn_times_add(&report.turns, 1500000, 1200000, 0);
	turn_times_add(&report.turns, 90000000, 0, 87000000);
	return 0;
}

#endif
