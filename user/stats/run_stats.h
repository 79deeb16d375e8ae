/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * run_stats.h - the books of a run: what became of every tick, and what the profiler itself cost. As a table
 * for people and as JSON for programs.
 */
#ifndef PYPERF_STATS_RUN_STATS_H
#define PYPERF_STATS_RUN_STATS_H

#include <stdio.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/turn_times.h"
#include "kern/stats.h"
#include "names/codes.h"
#include "stats/export_stats.h"
#include "tree/harvest.h"

struct run_stats {
	struct kernel_stats kernel;
	struct harvest_stats harvest;
	struct codes_stats codes;
	struct export_stats export; /* of a continuous run */
	size_t processes;	    /* seen that are profiled: Pythons, and with --all programs */
	size_t unlooked;	    /* that could not be looked at */
	__u64 generations;	    /* times the full tree was emptied */
	double seconds;		    /* of sampling */
	double cpu_seconds;	    /* user and system time of the profiler and its worker, in all, ... */
	double start_cpu_seconds;   /* ... and before sampling began: run_stats_cpu_so_far() */
	size_t rss_bytes;	    /* the most that was resident */
	size_t map_bytes;
	int cpus;
	__u32 events;	 /* EVENT_BIT()s of the kinds that the run was of */
	__u32 frequency; /* at its end */
	double tick_ns;	 /* that a tick stood for, as a mean of all */
	enum trigger_kind trigger;
	const char *home; /* what runs the sampler (kern/home.h) */
	__u64 expected;	  /* kernel_expected() */
	struct turn_times turns;
};

/*
 * Prints the books as a table. What is zero is left out. Shares are of the ticks of selected programs: not of
 * those of other programs, nor of idle CPUs.
 */
void run_stats_print(const struct run_stats *r, FILE *f, bool colour);
/* Only what the run has cost, in a line. */
void run_stats_print_short(const struct run_stats *r, FILE *f);
/* Appends one JSON object. Returns 0 or -ENOMEM. */
int run_stats_json(const struct run_stats *r, struct buf *out);

/* CPU seconds of the profiler until now, and of its children that have ended. */
double run_stats_cpu_so_far(void);
/*
 * Puts the profiler's CPU time and peak memory into r. The CPU time is its own and that of its children that
 * have ended, without COMMAND's.
 */
void run_stats_measure_self(struct run_stats *r, double command_seconds);

#endif
