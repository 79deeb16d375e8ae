/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * targets.h - what a run begins with: the processes that exist, those named by --pid, or COMMAND, held until the
 * ticks have begun.
 */
#ifndef PYPERF_TARGETS_START_H
#define PYPERF_TARGETS_START_H

#include "options/options.h"
#include "run/command.h"

struct discover;
struct kernel;

struct targets {
	const struct options *options;
	struct kernel *kernel;
	struct discover *discover;
	struct command *command;
	int (*turn)(void *context); /* waits a moment for answers; not 0: the run is to end */
	void *context;
};

/* Selects them and waits, at most 2 s, for the first verdicts. Logs; 0 or -errno. */
int targets_select(struct targets *t);

#endif
