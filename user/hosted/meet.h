/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * meet.h - finds processes that have begun: children of those that are looked at, or all. In the sampler's
 * process.
 */
#ifndef PYPERF_HOSTED_MEET_H
#define PYPERF_HOSTED_MEET_H

#include <stdbool.h>
#include <linux/types.h>

/* Makes ready. 0 or -errno. */
int meet_open(bool children);
/* Looks for them, if that is due. now: clock_ns(). */
void meet(__u64 now);

#endif
