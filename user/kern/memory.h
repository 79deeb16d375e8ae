/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memory.h - what the program on the kernel's tracepoint rss_stat (kern/tracepoints.h) needs to see processes
 * grow, for --event memory.
 */
#ifndef PYPERF_KERN_MEMORY_H
#define PYPERF_KERN_MEMORY_H

#include <linux/types.h>

struct pyperf;

/*
 * Before loading: leaves the table out unless needs (enum event_needs bits) has memory. step: bytes by which
 * a process changes before that is counted, rounded up to pages.
 */
void memory_prepare(struct pyperf *skel, __u32 needs, __u64 step);

#endif
