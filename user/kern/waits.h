/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * waits.h - what the programs on the scheduler's tracepoints (kern/tracepoints.h) need to see threads wait,
 * for --event offcpu and --event gil.
 */
#ifndef PYPERF_KERN_WAITS_H
#define PYPERF_KERN_WAITS_H

#include <linux/types.h>

struct kernel_options;
struct pyperf;

/* Before loading: leaves their tables out unless waits, the GIL or turns of event loops are needed. */
void waits_prepare(struct pyperf *skel, const struct kernel_options *o);
/* Counts what has passed of all waits that are under way. Nothing while the programs are not attached. */
void waits_settle(struct pyperf *skel);

#endif
