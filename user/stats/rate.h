/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rate.h - warns when the kernel runs the sampler less often than it was asked to: once, until it is over.
 */
#ifndef PYPERF_STATS_RATE_H
#define PYPERF_STATS_RATE_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/complaint.h"

struct kernel;

struct rate {
	__u64 ticks, expected; /* how many there were, and should have been, at the last look */
	struct complaint too_few;
};

/*
 * To be called now and then while the run samples, and once at its end. At the end it judges by fewer ticks.
 */
void rate_check(struct rate *r, const struct kernel *k, __u32 frequency, bool at_end);

#endif
