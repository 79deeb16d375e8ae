/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * processes.h - the page's table of what is being profiled now, those with most samples first.
 */
#ifndef PYPERF_HTTP_PROCESSES_H
#define PYPERF_HTTP_PROCESSES_H

struct buf;
struct kernel;
struct profile;
struct registry;

#define PROCESSES_SHOWN 100

/* Appends it as HTML. recent has the samples; NULL = there are none yet. 0 or -ENOMEM. */
int processes_html(const struct registry *registry, const struct kernel *kernel, const struct profile *recent,
		   struct buf *out);

#endif
