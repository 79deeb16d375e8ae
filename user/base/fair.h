/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fair.h - how much one user may have of something that all share: as much as is left for others, which is
 * half of what the others do not have. So whoever comes later finds room, too.
 */
#ifndef PYPERF_BASE_FAIR_H
#define PYPERF_BASE_FAIR_H

#include <stdbool.h>
#include <linux/types.h>

/* Whether somebody who has so much may have more, where so much is left. */
static inline bool fair_may(__u64 has, __u64 more, __u64 left)
{
	return more <= left && has + more <= left - more;
}

#endif
