/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * control.h - what user space tells the programs, besides the maps' contents and the single options of
 * bpf/data/maps.h.
 */
#ifndef PYPERF_BPF_ABI_CONTROL_H
#define PYPERF_BPF_ABI_CONTROL_H

#include "bpf/abi/types.h"

/* Whether a thread's last stack is used; CACHE_CHECK walks in full as well and counts the differences. */
enum cache_mode { CACHE_VERIFIED, CACHE_OFF, CACHE_CHECK };

/* Whose samples are of interest; THREADS_ACTIVE: not the time in which a thread sleeps. */
enum thread_mode { THREADS_ALL, THREADS_MAIN, THREADS_ACTIVE };

/* Threads in a set of the table of those that wait, which user space sizes and the programs search. */
#define WAIT_WAYS 8

/* What the programs that start and stop a CPU's timer are given. */
struct timer_request {
	__u64 first; /* when it is to run for the first time, ns of CLOCK_MONOTONIC */
	__u32 cpu;
	__u32 pad;
};

/* What user space may change while samples are taken: how many there are, and what they may cost. */
struct rates {
	__u64 period; /* ns from one tick of a timer to the next */
	__u32 budget; /* of a CPU, for all samples, as data/budget.h has it; of use where opt_budget is set */
	__u8 budget_free; /* log2 of the ns that a CPU may owe before anything is thinned */
	__u8 tick_levels; /* of thinning ticks, at most COST_LEVELS */
	__u16 pad;
};

#endif
