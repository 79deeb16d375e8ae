// SPDX-License-Identifier: GPL-2.0-only
/* gil.c - C code for gil.py that does not let go of the GIL. */
#include <time.h>

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Sleeps for so many microseconds. Returns how many nanoseconds it took. */
long hold(long us)
{
	const long begin = now();

	nanosleep(&(struct timespec){ .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 }, 0);
	return now() - begin;
}
