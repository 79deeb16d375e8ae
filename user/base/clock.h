/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.h - the time since boot, in seconds.
 */
#ifndef PYPERF_BASE_CLOCK_H
#define PYPERF_BASE_CLOCK_H

#include <time.h>

/* CLOCK_MONOTONIC. */
static inline double clock_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

#endif
