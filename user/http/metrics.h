/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics.h - /metrics, in the text format of Prometheus. It has numbers about the profiler only, and no name
 * of a process that is profiled.
 */
#ifndef PYPERF_HTTP_METRICS_H
#define PYPERF_HTTP_METRICS_H

#include <stdbool.h>
#include <sys/types.h>

#include "http/answer.h"

struct buf;
struct codes;
struct export_stats;
struct history;
struct kernel;
struct journal;
struct kubelet;
struct log_file;
struct natives;
struct profile_requests;
struct registry;
struct run_facts;

/* The numbers that the metrics show. */
struct metrics_view {
	bool sampling;
	pid_t worker, parser; /* 0 = there is none just now */
	double worker_seconds; /* CPU time of both, and of those before them */
	__u64 generations;  /* of the tree, after the first */
	__u64 more_endpoints; /* stacks of endpoints that had no name of their own */
	size_t questions;   /* that the worker has not answered yet */
	const struct kernel *kernel;
	const struct codes *codes;
	const struct registry *registry;
	const struct natives *natives; /* NULL: no native code is named */
	const struct run_facts *run;
	const struct export_stats *export; /* NULL: nothing is exported */
	const struct kubelet *kubelet;	   /* NULL: none is asked */
	const struct journal *journal;	   /* NULL: there is no log */
	const struct log_file *log_file;   /* NULL, or with path NULL: it goes into no file */
	const struct history *history;	   /* what the page shows */
	const struct answer_counts *answers;
	const struct profile_requests *profiles;
};

/* Appends all metrics. 0 or -ENOMEM. */
int metrics_text(const struct metrics_view *v, struct buf *out);
enum MHD_Result metrics_answer(const struct metrics_view *v, const struct client *c);

#endif
