/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stats.h - what the programs have counted, and what they cost.
 */
#ifndef PYPERF_KERN_STATS_H
#define PYPERF_KERN_STATS_H

#include <linux/types.h>

#include "bpf/abi.h"
#include "kern/trigger.h"

struct bpf_program;
struct kernel;

struct kernel_stats {
	struct cpu_stats sum;
	__u64 runs, run_time_ns;	   /* of the sampler; 0 unless options.measure */
	__u64 other_runs, other_time_ns;   /* of the programs that follow processes, and others */
	__u64 wait_runs, wait_time_ns;	   /* of the programs that see threads wait */
	__u64 memory_runs, memory_time_ns; /* of the one that sees processes grow */
};

void kernel_stats(const struct kernel *k, struct kernel_stats *ret);
/*
 * Adds how often a program has run, and for how long; both are 0 unless it is loaded and the kernel keeps
 * run-time statistics.
 */
void kernel_add_run_time(const struct bpf_program *program, __u64 *runs, __u64 *time_ns);
/* The trigger that makes the ticks; never TRIGGER_AUTO. */
enum trigger_kind kernel_trigger(const struct kernel *k);
/* How many ticks there should have been until now; 0 = unknown. trigger_expected() says how it is known. */
__u64 kernel_expected(const struct kernel *k);

#endif
