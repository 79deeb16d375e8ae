/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * interval_push.h - the profiles of the intervals to a receiver (--push), one for each service.
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
	char node[65];		    /* this machine's name */
	/* of pods, as receivers take them; "" = not sent */
	char label_names[PROFILE_EXTRA_MAX][POD_LABEL_NAME_SIZE + 8];
};

/* Logs. 0 or -errno; interval_push_close() it in both cases. */
int interval_push_open(struct interval_push *f, const struct push_options *o,
		       const struct pod_label_names *names, struct windows *windows);
void interval_push_close(struct interval_push *f);
/* The options have changed. 0 or -errno, then nothing has. */
int interval_push_set(struct interval_push *f, const struct push_options *o);

/* Queues the window's profile; it goes on from its mark or from here. Logs. 0 or -errno. */
int interval_push_take(struct interval_push *f);
/* Moves the queue along. Logs. */
void interval_push_run(struct interval_push *f);
/* At most so many seconds for what waits; then it is given up. Logs. */
void interval_push_finish(struct interval_push *f, double seconds);

#endif
