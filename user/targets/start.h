/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * start.h - what a run begins with: the processes that exist, those named by --pid, or COMMAND, held until
 * the ticks have begun.
 */
#ifndef PYPERF_TARGETS_START_H
#define PYPERF_TARGETS_START_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct discover;
struct kernel;
struct verdicts;

struct targets {
	const pid_t *pids; /* of --pid; no pid and no COMMAND: every process */
	size_t pid_count;
	pid_t command; /* that waits to be let go; 0 = none */
	bool children; /* of the pids are wanted as well; these may then be no Python themselves */
	struct kernel *kernel;
	struct discover *discover;
	int (*turn)(void *context); /* waits a moment for answers; not 0: the run is to end */
	void *context;
	struct verdicts *verdicts; /* set by targets_select() */
};

/* Selects them and waits, at most 2 s, for the first verdicts. Logs; 0 or -errno. */
int targets_select(struct targets *t);

#endif
