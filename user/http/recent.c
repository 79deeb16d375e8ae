// SPDX-License-Identifier: GPL-2.0-only
#include "http/recent.h"

#include <errno.h>

#include "base/clock.h"
#include "profile/profile.h"
#include "tree/window.h"

#define NAMING_SECONDS 1 /* to learn the names of what an interval has counted */

static double at_most(double a, double b)
{
	return a < b ? a : b;
}

int recent_start(struct recent *r, struct windows *windows, double interval, double now)
{
	int err = window_open(windows, &r->window);

	if (err)
		return err;
	r->interval = interval > RECENT_SECONDS_FIRST ? interval : RECENT_SECONDS_FIRST;
	r->seconds = RECENT_SECONDS_FIRST;
	r->due = now + r->seconds;
	return 0;
}

void recent_stop(struct recent *r)
{
	window_close(r->window);
	history_clear(&r->history);
	*r = (struct recent){};
}

const struct profile *recent_profile(const struct recent *r)
{
	const struct interval *newest = history_newest(&r->history);

	return newest ? newest->profile : NULL;
}

static void take_interval(struct recent *r)
{
	struct harvest_stats stats;
	struct profile *profile;

	if (window_take(r->window, &profile, &stats))
		return; /* no memory: the interval becomes longer */
	if (history_add(&r->history, profile, r->serial + 1)) {
		profile_free(profile);
		return;
	}
	r->serial++;
}

void recent_run(struct recent *r, double now)
{
	if (!r->marked && !window_mark(r->window)) {
		r->marked = true;
		r->due = now + NAMING_SECONDS;
		return;
	}
	if (window_prepare(r->window) == -EAGAIN) {
		r->due = now; /* go on in the next turn of the event loop */
		return;
	}
	take_interval(r);
	r->marked = false;
	r->seconds = at_most(r->seconds * 2, r->interval);
	r->due = now + r->seconds - NAMING_SECONDS;
}
