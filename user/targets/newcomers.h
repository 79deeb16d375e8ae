/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * newcomers.h - finds new processes when nothing else does. Mostly the kernel side meets a process that it
 * does not know at a tick, or when one of its threads waits. With --event tasks alone it has neither.
 */
#ifndef PYPERF_TARGETS_NEWCOMERS_H
#define PYPERF_TARGETS_NEWCOMERS_H

#include <linux/types.h>

struct kernel;
struct loop;
struct verdicts;

/* Both are borrowed; the others begin as zero. */
struct newcomers {
	struct kernel *kernel;
	struct verdicts *verdicts;
	__u64 pause, due; /* ns; due: CLOCK_MONOTONIC */
};

/*
 * Adds the row that goes over all processes of the machine when that is due, after a second at most, and has
 * those looked at that are of interest and not known yet, or that are to be looked at again. 0 or -errno of
 * loop_watch().
 */
int newcomers_watch(struct newcomers *n, struct loop *loop);

#endif
