/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics.h - /metrics, in the text format of Prometheus. It has numbers about the profiler only, and no name
 * of a process that is profiled.
 */
#ifndef PYPERF_HTTP_METRICS_H
#define PYPERF_HTTP_METRICS_H

#include <stddef.h>
#include <sys/types.h>

#include "http/answer.h"

struct buf;
struct export_stats;
struct journal;
struct site;

/* The numbers that the metrics show: the site's, and what it has to ask others for. */
struct metrics_view {
	const struct site *site;
	pid_t worker, parser;		   /* 0 = there is none just now */
	double worker_seconds;		   /* CPU time of both, and of those before them */
	size_t questions;		   /* that the worker has not answered yet */
	const struct export_stats *export; /* NULL: nothing is exported */
	const struct journal *journal;	   /* NULL: there is no log */
};

/* Appends all metrics. 0 or -ENOMEM. */
int metrics_text(const struct metrics_view *v, struct buf *out);
enum MHD_Result metrics_answer(const struct metrics_view *v, const struct client *c);

#endif
