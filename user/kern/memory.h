/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memory.h - what sees processes grow: a program on the kernel's tracepoint rss_stat, for --event memory. It
 * is loaded only if it is asked for.
 */
#ifndef PYPERF_KERN_MEMORY_H
#define PYPERF_KERN_MEMORY_H

#include <stdbool.h>
#include <linux/types.h>

struct pyperf;

/*
 * Before loading: leaves the program and its table out unless they are wanted. step: bytes by which a process
 * changes before that is counted, rounded up to pages.
 */
void memory_prepare(struct pyperf *skel, bool wanted, __u64 step);
/* Attaches it. 0 or -errno. */
int memory_start(struct pyperf *skel);
/* Detaches it. More than once is as once. */
void memory_stop(struct pyperf *skel);
/* How often it has run, and for how long: adds to both. */
void memory_run_time(const struct pyperf *skel, __u64 *runs, __u64 *time_ns);

#endif
