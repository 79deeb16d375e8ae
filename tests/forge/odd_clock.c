// SPDX-License-Identifier: GPL-2.0-only
/*
 * odd_clock.c - a machine with another clock, for a program that has this by LD_PRELOAD: $ODD_CLOCK is the
 * time, in seconds since 1970, and the kernel says that it is set by others, to 12 ms.
 */
#include <stdlib.h>
#include <sys/timex.h>
#include <time.h>

time_t time(time_t *ret)
{
	const time_t now = atoll(getenv("ODD_CLOCK"));

	if (ret)
		*ret = now;
	return now;
}

int adjtimex(struct timex *t)
{
	*t = (struct timex){ .maxerror = 12345 };
	return TIME_OK;
}
