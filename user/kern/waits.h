/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * waits.h - what sees threads wait: programs on the scheduler's tracepoints, for --event offcpu and --event
 * gil. They are loaded only if they are asked for.
 */
#ifndef PYPERF_KERN_WAITS_H
#define PYPERF_KERN_WAITS_H

#include <stdbool.h>
#include <linux/types.h>

struct pyperf;

/* Before loading: leaves the programs and their tables out unless waits, or those for the GIL, are wanted. */
void waits_prepare(struct pyperf *skel, bool waits, bool gil, __u64 min_wait_ns);
/* Attaches them. 0 or -errno. */
int waits_start(struct pyperf *skel);
/*
 * Counts what has passed of all waits that are under way. Nothing before waits_start() or after waits_stop().
 */
void waits_settle(struct pyperf *skel);
/* Detaches them; the waits under way count up to now. More than once is as once. */
void waits_stop(struct pyperf *skel);
/* How often they have run, and for how long: adds to both. */
void waits_run_time(const struct pyperf *skel, __u64 *runs, __u64 *time_ns);

#endif
