/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * waits.h - what the programs on the scheduler's tracepoints (kern/tracepoints.h) need to see threads wait,
 * for --event offcpu and --event gil.
 */
#ifndef PYPERF_KERN_WAITS_H
#define PYPERF_KERN_WAITS_H

#include <linux/types.h>

struct pyperf;

/* Before loading: leaves their tables out unless needs, enum event_needs bits, has waits or the GIL. */
void waits_prepare(struct pyperf *skel, __u32 needs, __u64 min_wait_ns);
/* Counts what has passed of all waits that are under way. Nothing while the programs are not attached. */
void waits_settle(struct pyperf *skel);

#endif
