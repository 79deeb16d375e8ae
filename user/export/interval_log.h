/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * interval_log.h - what the log of samples (--log) has of each interval whose profile is pushed: one stretch
 * after the other, without a gap between them.
 */
#ifndef PYPERF_EXPORT_INTERVAL_LOG_H
#define PYPERF_EXPORT_INTERVAL_LOG_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/complaint.h"

struct journal;
struct journal_stretch;
struct profile;
struct windows;

/* All 0: there is no log. */
struct interval_log {
	struct journal *journal; /* borrowed, as windows is */
	const struct windows *windows;
	__u64 from, to; /* clock_ns() of the interval: its end is the last one that was marked */
	struct journal_stretch *stretch;
	struct complaint trouble; /* the log had not all of an interval */
};

/* Before the ticks start. */
void interval_log_open(struct interval_log *l, struct journal *j, const struct windows *windows);
void interval_log_close(struct interval_log *l);
/* The interval ends now. */
void interval_log_mark(struct interval_log *l);
/*
 * The profile of the interval was taken; the next one begins at the mark. is_wanted: interval_log_make() will
 * ask for what the log has of it. Logs where that is not all.
 */
void interval_log_take(struct interval_log *l, bool is_wanted);
/*
 * Does a part of the work, until the windows' pause_ns. 0, and then *ret is the caller's, NULL if the log has
 * not all of it; -EAGAIN: there is more.
 */
int interval_log_make(struct interval_log *l, struct profile **ret);

#endif
