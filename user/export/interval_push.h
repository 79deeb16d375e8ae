/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * interval_push.h - sends the profiles of the intervals to a receiver (--push), one for each service.
 */
#ifndef PYPERF_EXPORT_INTERVAL_PUSH_H
#define PYPERF_EXPORT_INTERVAL_PUSH_H

#include "base/complaint.h"
#include "export/push/push.h"
#include "kubelet/pod_labels.h"
#include "profile/profile.h"
#include "report/export_stats.h"
#include "tree/window.h"

struct interval_push {
	struct push *push;
	struct window *window;
	struct export_stats *stats;
	struct harvest_stats taken; /* in all */
	struct complaint trouble;
	struct complaint exposed; /* credentials that others can read */
	char node[65];		    /* this machine's name */
	/* The names of pods' labels in the form that receivers take; "" = that label is not sent. */
	char label_names[PROFILE_EXTRA_MAX][POD_LABEL_NAME_SIZE + 8];
};

/* Logs. 0 or -errno. The caller calls interval_push_close() after a failure too. */
int interval_push_open(struct interval_push *f, const struct push_options *o,
		       const struct pod_label_names *names, struct windows *windows);
void interval_push_close(struct interval_push *f);
/* Takes changed options. 0 or -errno; after a failure the old ones stay. */
int interval_push_set(struct interval_push *f, const struct push_options *o);

/* Queues the window's profile. The window goes on from its mark, or from now. Logs. 0 or -errno. */
int interval_push_take(struct interval_push *f);
/* Moves the queue along. Logs. */
void interval_push_run(struct interval_push *f);
/* Waits at most so many seconds until all is sent. What still waits then is given up. Logs. */
void interval_push_finish(struct interval_push *f, double seconds);

#endif
