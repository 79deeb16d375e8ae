/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weight.h - how much time a sample stands for. When fewer ticks came than there should have been, each
 * stands for more than the period that was asked for, and the profile's times stay true in all. It is one
 * weight for all CPUs, since the tree does not know on which CPU a sample was taken. A tick that was not made
 * since its CPU was idle is not missing: kernel_expected() does not count those either.
 */
#ifndef PYPERF_TREE_WEIGHT_H
#define PYPERF_TREE_WEIGHT_H

#include <linux/types.h>

#include "profile/profile.h"

#define WEIGHT_CPUS 256 /* those above are judged in the sum only */

/* Since the start of the run. */
struct tick_counts {
	__u64 came;
	__u64 expected;		 /* some percent off, for perf events; 0 = unknown */
	__u64 ns;		 /* that those stand for which came, by the rate that each had; 0 = unknown */
	__u32 frequency;	 /* the rate of this moment; 0 = that of the windows */
	__u64 unanalysed;	 /* of those that came: of processes on which there was no verdict yet, ... */
	__u64 forbidden;	 /* ... and of those that may not be read */
	__u64 full[FULL_TABLES]; /* beside the ticks: how often tables had no room */
	struct cpu_tick_counts {
		__u64 came, expected;
	} cpus[WEIGHT_CPUS];
};

/*
 * Sets what the profile of this span says of its samples: frequency, period_ns, ticks_came and ticks_wanted;
 * and which CPUs lack ticks, also when so few do that the sum does not show it. And how often tables had no
 * room. Where the rate has changed in the span, the period is the mean of its ticks, and the frequency that
 * of its end. frequency: where the counts do not say it.
 */
void weight_set(struct profile_info *info, __u32 frequency, const struct tick_counts *from,
		const struct tick_counts *to);

#endif
