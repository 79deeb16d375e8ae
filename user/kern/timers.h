/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timers.h - ticks by BPF timers, one pinned to each CPU. They need no perf event, but Linux 6.7. They end
 * with the map that holds them, also when the profiler is killed.
 */
#ifndef PYPERF_KERN_TIMERS_H
#define PYPERF_KERN_TIMERS_H

#include <linux/types.h>

#define TIMERS_FREQUENCY_MAX 10000 /* Hz: nothing in the kernel slows them down when they take too long */

struct timers;
struct bpf_program;

/*
 * Starts a timer on each CPU on which this thread may run. *ret_cpus is how many these are; *ret_first is the
 * mean of the times of their first ticks (CLOCK_MONOTONIC, s). The programs are start_timer and stop_timer of
 * bpf/pyperf.bpf.c. Returns 0 or -errno; -EINVAL means that the kernel has no timers that stay on their CPU.
 */
int timers_start(struct timers **ret, const struct bpf_program *start, const struct bpf_program *stop,
		 __u64 period_ns, int *ret_cpus, double *ret_first);
/* When it returns, no tick is taken any more. */
void timers_stop(struct timers *t);

#endif
