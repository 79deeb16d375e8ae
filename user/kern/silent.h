/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * silent.h - notices a CPU that runs programs and no longer ticks. Its perf event or timer is gone when the
 * CPU was off and on again between two looks at the list of CPUs, which is the same then as before.
 */
#ifndef PYPERF_KERN_SILENT_H
#define PYPERF_KERN_SILENT_H

#include <stdbool.h>
#include <linux/types.h>

#include "bpf/abi.h"

struct silent;

/* Room for so many possible CPUs. 0 or -ENOMEM. */
int silent_new(struct silent **ret, int cpus);
void silent_free(struct silent *s); /* NULL is fine */

/* The ticks have started anew: nothing is expected of the time before. */
void silent_begin(struct silent *s);

/*
 * The text of /proc/stat says how long each CPU has spent on programs, and stats how often each has ticked.
 * Whether there is a CPU on which 50 ticks should have come since it was last judged, at this frequency, and
 * none has.
 */
bool silent_check(struct silent *s, const char *stat, const struct cpu_stats *stats, __u32 frequency);

#endif
