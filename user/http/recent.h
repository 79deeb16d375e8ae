/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recent.h - the profile of the last interval, for the page. It is there without waiting: intervals follow
 * each other from when sampling begins. The first ones are short, so that there is something to see at once.
 */
#ifndef PYPERF_HTTP_RECENT_H
#define PYPERF_HTTP_RECENT_H

#include <stdbool.h>

struct profile;
struct window;
struct windows;

#define RECENT_SECONDS_FIRST 2

struct recent {
	struct window *window;	 /* the one that goes on; NULL = sampling has not begun */
	struct profile *profile; /* the last that is complete, or NULL */
	double seconds;		 /* length of the one that goes on */
	double interval;	 /* ... after the first few */
	double due;  /* when it ends, or its names are waited for no longer; CLOCK_MONOTONIC seconds */
	bool marked; /* it has ended */
};

/* Begins. interval: seconds. 0 or -ENOMEM. */
int recent_start(struct recent *r, struct windows *windows, double interval, double now);
void recent_stop(struct recent *r);
/* At r->due or later. */
void recent_run(struct recent *r, double now);

#endif
