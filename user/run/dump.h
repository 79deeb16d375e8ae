/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dump.h - `pyperf-bpf dump` and `pyperf-bpf tasks`: what the threads of Python processes do now, or their
 * asyncio tasks. It needs no BPF: the worker reads the processes' memory from outside, while they go on.
 */
#ifndef PYPERF_RUN_DUMP_H
#define PYPERF_RUN_DUMP_H

#include "options/options.h"

/* Writes to stdout; logs. Returns the exit code of the program. */
int run_dump(const struct options *o);

#endif
