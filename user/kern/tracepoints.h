/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tracepoints.h - the programs that the kernel runs at its tracepoints, the rows of kern/tracepoints.def:
 * which of them are loaded, and from when to when they are attached.
 */
#ifndef PYPERF_KERN_TRACEPOINTS_H
#define PYPERF_KERN_TRACEPOINTS_H

#include <linux/types.h>

struct pyperf;

/*
 * Before loading: leaves those out that nothing needs, and the table of the one that sees processes grow.
 * needs: enum event_needs bits. rss_step: bytes by which a process changes before that is counted, rounded up
 * to pages.
 */
void tracepoints_prepare(struct pyperf *skel, __u32 needs, __u64 rss_step);
/*
 * Attaches those that are loaded and not yet attached. 0; or -errno, and then *ret_name is the tracepoint at
 * which that failed. The name is the skeleton's.
 */
int tracepoints_start(struct pyperf *skel, const char **ret_name);
/* Detaches those that something needed. More than once is as once, and skel may be NULL. */
void tracepoints_stop(struct pyperf *skel);

#endif
