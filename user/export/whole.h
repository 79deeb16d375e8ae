/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * output.h - what a run leaves behind: the profile, the summary, the books; and the progress line before that.
 */
#ifndef PYPERF_EXPORT_WHOLE_H
#define PYPERF_EXPORT_WHOLE_H

#include <stdbool.h>

#include "export/continuous.h"
#include "kern/kernel.h"
#include "names/codes.h"
#include "options/options.h"
#include "targets/registry.h"
#include "tree/window.h"

/* One run of the sampler. Times in seconds. */
struct run {
	const struct options *options;
	bool show_progress;
	double start;	   /* CLOCK_MONOTONIC */
	double seconds;	   /* how long it sampled */
	double last_progress;
	double start_cpu_seconds; /* report_cpu_so_far() when it began to sample */
	double command_seconds; /* CPU time of COMMAND, if it ended */
	__u32 frequency;
	int cpus;
};

/* Where the results are taken from. */
struct source {
	struct kernel *kernel;
	struct codes *codes;
	struct registry *registry;
	struct window *window; /* of the whole run; NULL if there is none ... */
	struct continuous *continuous; /* ... but this */
	__u64 generations; /* of the tree, after the first */
};

/* Before anything else: whether the files can be written. Logs; 0 or -errno. */
int output_check(const struct run *r);
/* On a terminal, once a second. */
void output_progress(struct run *r, const struct kernel *k, const struct registry *registry, double seconds);
void output_progress_end(struct run *r);
/* Writes everything the options ask for. Logs; 0 or -errno. */
int output_write(const struct run *r, struct source *s);

#endif
