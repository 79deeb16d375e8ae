/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * log_file.h - writes a stretch of the log of samples (--log) into a file, when somebody says so: by SIGUSR2,
 * or over HTTP. There is one file, which the user has named (--log-file) and each order replaces. One order
 * is under way at a time: its profile is made in parts, and a child encodes and writes it.
 */
#ifndef PYPERF_EXPORT_LOG_FILE_H
#define PYPERF_EXPORT_LOG_FILE_H

#include <stdbool.h>
#include <linux/types.h>

#include "export/writer_child.h"
#include "formats/formats.h"

struct discover;
struct journal;
struct journal_stretch;
struct loop;
struct profile;
struct trace_wanted;
struct windows;

/* Whoever makes this sets the first five, which are borrowed; the rest begins as 0. */
struct log_file {
	const char *path;
	enum format format;
	struct journal *journal;
	struct windows *windows;
	struct discover *discover;
	struct journal_stretch *stretch; /* of the order under way, until its profile is there, ... */
	struct profile *profile;	 /* ... which is then written */
	double due;	  /* clock_seconds() at which names that are missing are waited for no longer, ... */
	double end;	  /* ... and at which writing is given up */
	bool of_trace;	  /* one alone: a file that would have nothing is not written */
	__u64 unlabelled; /* entries in it whose span has no ids there: there are too many spans */
	struct writer_child writer;
	__u64 written, failed; /* orders */
};

#define LOG_FILE_NOW (~0ULL)

/*
 * The stretch from `from` to `to`, ns of CLOCK_MONOTONIC, of what the log has up to now, is to be written,
 * with the ids of spans if it has any. wanted: of one trace alone; NULL, or none: of all. 0; -EBUSY while one
 * is under way; -EINVAL: the log has nothing of that time; -ENOMEM. What becomes of it is logged and counted.
 */
int log_file_order(struct log_file *l, __u64 from, __u64 to, const struct trace_wanted *wanted);
/* The order of a signal: all that there is. l may be NULL: no file was named. Logs. */
void log_file_signalled(struct log_file *l);

/* Adds the row that does it. 0 or -errno of loop_watch(). */
int log_file_watch(struct log_file *l, struct loop *loop);
/* At the end of a run: what was ordered is written, until clock_seconds() is `end`. */
void log_file_finish(struct log_file *l, double end);
/* What is not written by now is given up. */
void log_file_close(struct log_file *l);

#endif
