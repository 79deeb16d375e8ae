/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * run.h - a whole run of the profiler: open, choose the targets, sample, write.
 */
#ifndef PYPERF_RUN_RUN_H
#define PYPERF_RUN_RUN_H

#include "options/options.h"

/* Logs. Returns the exit code of the program. */
int run_profiler(struct options *o);

#endif
