/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * agent.h - one run of the profiler, from its options to the exit code. Owns the event loop and everything
 * that lives for the run; the only part besides main.c that logs.
 */
#ifndef PYPERF_RUN_RUN_H
#define PYPERF_RUN_RUN_H

#include "options/options.h"

/* Returns the exit code. */
int agent_run(struct options *o);

#endif
