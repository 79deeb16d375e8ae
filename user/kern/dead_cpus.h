/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dead_cpus.h - notices a CPU that runs programs and no longer ticks. Its perf event or timer is gone when
 * the CPU was off and on again between two looks at the list of CPUs, which is then what it was before.
 */
#ifndef PYPERF_KERN_DEAD_CPUS_H
#define PYPERF_KERN_DEAD_CPUS_H

#include <stdbool.h>
#include <linux/types.h>

#include "bpf/abi.h"

struct dead_cpus;

/* Room for so many possible CPUs. 0 or -ENOMEM. */
int dead_cpus_new(struct dead_cpus **ret, int cpus);
void dead_cpus_free(struct dead_cpus *s); /* NULL is fine */

/* The ticks have started anew: nothing is expected of the time before. */
void dead_cpus_begin(struct dead_cpus *s);

/*
 * The text of /proc/stat says how long each CPU has spent on programs, and stats how often each has ticked.
 * Whether there is a CPU on which 50 ticks should have come since it was last judged, at this frequency, and
 * none has.
 */
bool dead_cpus_check(struct dead_cpus *s, const char *stat, const struct cpu_stats *stats, __u32 frequency);

#endif
