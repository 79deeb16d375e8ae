/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * interval_push.h - sends the profiles of the intervals to a receiver (--push), one for each service. A
 * thread makes them ready.
 */
#ifndef PYPERF_EXPORT_INTERVAL_PUSH_H
#define PYPERF_EXPORT_INTERVAL_PUSH_H

#include "base/complaint.h"
#include "export/interval_log.h"
#include "export/push_parts.h"
#include "profile/profile.h"
#include "stats/export_stats.h"
#include "tree/window.h"

struct interval_push {
	struct push *push;
	struct window *window;
	struct export_stats *stats;
	struct harvest_stats taken; /* in all */
	struct complaint trouble, remark;
	char last_trouble[200]; /* in words, cut; "" = there was none */
	struct complaint series_full;
	struct complaint exposed; /* credentials that others can read */
	struct push_series series;
	struct series_names *names; /* the thread's, while there is one */
	bool due;		    /* the window's profile is to be pushed */
	struct profile *profile;    /* that was taken, until it is known when its samples were */
	struct interval_log log;
	struct job *job; /* makes it ready, or NULL */
	__u64 lost;	 /* profiles that could not be made ready: there was no memory, or no thread */
	int eventfd;	 /* readable when it is done */
	int epoll;	 /* of that and of the queue's */
};

/* Logs. 0 or -errno. The caller calls interval_push_close() after a failure too. */
int interval_push_open(struct interval_push *f, const struct push_options *o,
		       const struct pod_label_names *names, struct windows *windows);
void interval_push_close(struct interval_push *f);
/* Takes changed options. 0 or -errno; after a failure the old ones stay. */
int interval_push_set(struct interval_push *f, const struct push_options *o);

/* A descriptor, the same for its whole life: interval_push_run() has something to do when it is readable. */
int interval_push_fd(const struct interval_push *f);
/* Milliseconds until it is due in any case, -1 = never. */
int interval_push_timeout_ms(const struct interval_push *f);

/* The samples of what is pushed as OTLP have the times that are there. Before the ticks start. */
void interval_push_log(struct interval_push *f, struct journal *j, const struct windows *windows);

/* The interval ends now. Without memory it ends a little later. */
void interval_push_mark(struct interval_push *f);
/*
 * The window's profile is to be pushed. The window goes on from its mark, or from when it is taken; if the
 * last one is not ready yet, that is later.
 */
void interval_push_add(struct interval_push *f);
/* Moves everything along. Logs. */
void interval_push_run(struct interval_push *f);
/*
 * Adds the window's profile and waits until it is in the queue, at most until that clock_seconds(). Logs. 0
 * or -errno: -EINPROGRESS when it took longer.
 */
int interval_push_last(struct interval_push *f, double end);
/* Whether the receiver did not take the last profile that it was sent. */
bool interval_push_fails(const struct interval_push *f);
/*
 * Waits until that clock_seconds() at most for all to be sent. What still waits then is given up. Logs, at
 * the end how many of all were delivered if some were not. 0; -EIO: none was, although there were some.
 */
int interval_push_finish(struct interval_push *f, double end);

#endif
