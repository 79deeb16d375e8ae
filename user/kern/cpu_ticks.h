/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpu_ticks.h - how many ticks each CPU has had, and how many it should have had. Both stand as they were at
 * the last look.
 */
#ifndef PYPERF_KERN_CPU_TICKS_H
#define PYPERF_KERN_CPU_TICKS_H

#include <stdbool.h>
#include <linux/types.h>

#include "bpf/abi.h"

struct cpu_ticks;
struct kernel;

/* Room for so many possible CPUs. 0 or -ENOMEM. */
int cpu_ticks_new(struct cpu_ticks **ret, int cpus);
void cpu_ticks_free(struct cpu_ticks *c); /* NULL is fine */

/* The ticks have stopped, or started anew: until the next look none are expected. */
void cpu_ticks_begin(struct cpu_ticks *c);

/*
 * Looks: the text of /proc/stat says how long each CPU has worked, and stats how often each has ticked. idle:
 * they tick when there is nothing to do as well. frequency: that since the last look.
 */
void cpu_ticks_look(struct cpu_ticks *c, const char *stat, const struct cpu_stats *stats, bool idle,
		    __u32 frequency);

int cpu_ticks_count(const struct cpu_ticks *c); /* possible CPUs */

/*
 * *ret_came ticks, and *ret_expected that should have come; for perf events some percent off. False for a CPU
 * that was not online at any look.
 */
bool cpu_ticks_get(const struct cpu_ticks *c, int cpu, __u64 *ret_came, double *ret_expected);

/* The ticks of the kernel side, as of the last kernel_follow_cpus(). Ticks of cycles are not among them. */
const struct cpu_ticks *kernel_cpu_ticks(const struct kernel *k);

#endif
