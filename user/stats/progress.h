/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * progress.h - the one line on a terminal that says, once a second, how a run is getting on.
 */
#ifndef PYPERF_STATS_PROGRESS_H
#define PYPERF_STATS_PROGRESS_H

#include <stdbool.h>

#include "stats/run_facts.h"

struct kernel;
struct registry;

struct progress {
	bool wanted; /* stderr is a terminal, and --quiet was not given */
	double last; /* seconds of the run at the last line; 0 = none was written */
};

/* Writes the line anew when a second has passed. */
void progress_show(struct progress *p, const struct run_facts *run, const struct kernel *k,
		   const struct registry *r);
/* Takes the line away again. */
void progress_end(struct progress *p);

#endif
