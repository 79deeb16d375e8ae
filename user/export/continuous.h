/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * continuous.h - a run that goes on: at the end of each interval what was counted in it is passed on. An interval
 * ends at its mark; it is passed on shortly after, when the names of what it counted are there.
 */
#ifndef PYPERF_EXPORT_CONTINUOUS_H
#define PYPERF_EXPORT_CONTINUOUS_H

#include "export/folder.h"
#include "export/push/push.h"
#include "kubelet/pod_labels.h"
#include "report/export_stats.h"
#include "tree/window.h"

struct continuous;

/* Where the profiles go, and how often. */
struct continuous_options {
	double interval_seconds;
	const char *output_dir; /* NULL = no files */
	struct folder_keep keep; /* of output_dir */
	struct push_options push; /* url NULL = no pushes */
	const struct pod_label_names *pod_label_names; /* labels of the series that are pushed */
};

/* Before anything is sampled: whether output_dir can be written; NULL always can. Logs. 0 or -errno. */
int continuous_check(const char *output_dir);
/* The first interval begins now. Logs. 0 or -errno. */
int continuous_open(struct continuous **ret, const struct continuous_options *o, struct windows *windows);
void continuous_close(struct continuous *c);
/* The options have changed, but for which of files and pushes there are. NULL is fine. Logs. */
void continuous_reload(struct continuous *c, const struct continuous_options *o);

/* Readable when continuous_pass_on() has something to do; -1 = there is none. The same for its whole life. */
int continuous_fd(const struct continuous *c);
/* Until one of the next two has something to do; NULL: -1, never. */
int continuous_timeout_ms(const struct continuous *c);
/* Marks the end of an interval that is over: then true, and the ring buffer is to be read next. */
bool continuous_ends(struct continuous *c);
/* Passes on an interval that has ended; names_missing: unless time is up, names of some of it are on their way. */
void continuous_pass_on(struct continuous *c, bool names_missing);
/* The ticks have stopped: passes on what is left. *ret_stats is of all intervals. Logs. 0 or -errno. */
int continuous_finish(struct continuous *c, struct harvest_stats *ret_stats);

const struct export_stats *continuous_stats(const struct continuous *c);

#endif
