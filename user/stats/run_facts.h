/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * run_facts.h - what is to be said of a run beside its counts: when it began, how often it ticks and on how
 * many CPUs.
 */
#ifndef PYPERF_STATS_RUN_FACTS_H
#define PYPERF_STATS_RUN_FACTS_H

#include <linux/types.h>

struct turn_times;

struct run_facts {
	double start;			/* when sampling began, seconds of CLOCK_MONOTONIC; 0 = not yet */
	double seconds;			/* how long it sampled, once it has ended */
	double interval_seconds;	/* of --interval */
	double start_cpu_seconds;	/* run_stats_cpu_so_far() when sampling began */
	double command_seconds;		/* CPU time of COMMAND, once it has ended */
	__u32 events;			/* EVENT_BIT()s of the kinds that this run is of */
	__u32 frequency;		/* ticks per second of each CPU, now */
	double budget;			/* part of each CPU that samples may cost; 0 = no limit */
	int cpus;			/* that tick */
	const struct turn_times *turns; /* of the event loop; NULL = not measured */
};

#endif
