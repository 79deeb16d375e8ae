/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * served.h - what a profiler that runs has, for `pyperf-bpf report` and `pyperf-bpf diff`.
 */
#ifndef PYPERF_RUN_SERVED_H
#define PYPERF_RUN_SERVED_H

#include <stdbool.h>

#include "options/options.h"
#include "report/line_text.h"

struct recorded;

/* "http://ADDR:PORT", with a path or without, or "unix:/PATH". */
bool served_is_source(const char *text);
/*
 * Adds its profile to r. Without a path: of a stretch of its log with --from or --to, else of the seconds
 * that come. With --wary only of who says to be a profiler. The path /debug/pyperf/intervals is that of all
 * intervals it keeps, one after the other. Logs; 0 or -errno.
 */
int served_read(const struct options *o, const char *url, struct recorded *r);
/*
 * Says of a file or an address, to who asks for somebody else (--wary), that there is nothing: one sentence,
 * whether it is missing, is something else, or may not be opened. -EACCES.
 */
int served_refuse(const char *source);

/* Where lines are asked for: context of a struct line_asker whose function is served_ask_lines(). */
struct served_lines {
	const struct options *options;
	const char *url;
};

/* Says nothing if there are none: the profiler may have been started without --listen-source. */
int served_ask_lines(void *served_lines, const struct line_wanted *wanted, struct buf *text);

#endif
