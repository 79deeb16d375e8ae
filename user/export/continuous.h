/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * continuous.h - a run that goes on: at the end of each interval what was counted in it is passed on. An
 * interval ends at its mark; it is passed on shortly after, when the names of what it counted are there.
 */
#ifndef PYPERF_EXPORT_CONTINUOUS_H
#define PYPERF_EXPORT_CONTINUOUS_H

#include "export/folder.h"
#include "export/push/push.h"
#include "kubelet/pod_labels.h"
#include "stats/export_stats.h"
#include "tree/window.h"

struct continuous;
struct discover;
struct journal;
struct loop;

/* Where the profiles go, and how often. */
struct continuous_options {
	double interval_seconds;
	const char *output_dir;			       /* NULL = no files */
	struct folder_keep keep;		       /* of output_dir */
	struct push_options push;		       /* url NULL = no pushes */
	const struct pod_label_names *pod_label_names; /* labels of the series that are pushed */
};

/*
 * Before anything is sampled: makes output_dir, but not the folders above it, and says whether it can be
 * written; NULL always can. Logs. 0 or -errno.
 */
int continuous_check(const char *output_dir);
/* The first interval begins now. Logs. 0 or -errno. */
int continuous_open(struct continuous **ret, const struct continuous_options *o, struct windows *windows);
/* What is pushed has the times of this log, where it can. Before the ticks start. */
void continuous_log(struct continuous *c, struct journal *j, const struct windows *windows);
void continuous_close(struct continuous *c);
/*
 * The options have changed, but not whether there are files and whether there are pushes. NULL is fine. Logs.
 */
void continuous_reload(struct continuous *c, const struct continuous_options *o);

/*
 * Ends the interval now, whatever is left of it, since what is counted from now on is of another kind. False:
 * the one before is not passed on yet, and it is to be tried again. NULL has none, and is fine.
 */
bool continuous_cut(struct continuous *c);

/*
 * Adds the row that ends the intervals and passes them on. It comes after those of the kernel side's records
 * and of the worker's answers, which have the names of an interval. 0 or -errno of loop_watch().
 */
int continuous_watch(struct continuous *c, struct discover *discover, struct loop *loop);

/*
 * A descriptor, the same for its whole life, that is readable when continuous_pass_on() has something to do;
 * -1 if there is none.
 */
int continuous_fd(const struct continuous *c);
/* Milliseconds until one of the next two has something to do. */
int continuous_timeout_ms(const struct continuous *c);
/*
 * Marks the end of an interval, if it is over. Then it returns true, and the caller reads the ring buffer
 * next.
 */
bool continuous_ends(struct continuous *c);
/*
 * Passes on an interval that has ended, if there is one. If names_missing, names of what was counted in it
 * are still on their way, and it waits for them for at most half a second.
 */
void continuous_pass_on(struct continuous *c, bool names_missing);
/*
 * Passes on what is left after the ticks have stopped, in at most so many seconds. *ret_stats is of all
 * intervals. Logs. 0 or -errno.
 */
int continuous_finish(struct continuous *c, double seconds, struct harvest_stats *ret_stats);

const struct export_stats *continuous_stats(const struct continuous *c);

#endif
