/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recent.h - the profiles of the last intervals, for the page. Nobody has to wait for the last one, since
 * intervals follow each other from when sampling begins. The first ones are short, so that there is soon
 * something to see.
 */
#ifndef PYPERF_HTTP_RECENT_H
#define PYPERF_HTTP_RECENT_H

#include <stdbool.h>

#include "http/history.h"

struct profile;
struct window;
struct windows;

#define RECENT_SECONDS_FIRST 2

struct recent {
	struct window *window;	/* the interval that goes on; NULL = sampling has not begun */
	struct history history; /* intervals that are complete */
	unsigned long serial;	/* of the newest one */
	double seconds;		/* length of the interval that goes on ... */
	double interval;	/* ... and of each after the first few */
	double due;		/* when recent_run() has something to do, CLOCK_MONOTONIC seconds */
	bool marked;		/* the interval has ended, and the names of what it counted are waited for */
};

/* Begins. interval is in seconds, now as r->due. 0 or -ENOMEM. */
int recent_start(struct recent *r, struct windows *windows, double interval, double now);
void recent_stop(struct recent *r);
/* The profile of the last interval that is complete, or NULL. */
const struct profile *recent_profile(const struct recent *r);
/* To be called at r->due or later: ends an interval, or takes its profile and begins the next. */
void recent_run(struct recent *r, double now);

#endif
