/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * routes.h - the routes of spans (--trace), as far as they are known: of requests, by the ids of their spans.
 * A span that has no route has that of the span within which it began.
 */
#ifndef PYPERF_NAMES_ROUTES_H
#define PYPERF_NAMES_ROUTES_H

#include <stddef.h>
#include <linux/types.h>

#include "bpf/abi/trace.h"

#define ROUTES_SPANS_MAX 65536 /* that are kept; the oldest make room */
#define ROUTES_TEXTS_MAX 4096  /* different routes */

struct routes;

/* A span of a process. Processes may say that they have the same ids. */
struct route_key {
	struct trace_ids ids;
	__u32 pid, pad;
};

/* What became of spans whose route was asked for. */
struct route_counts {
	__u64 found;
	__u64 none; /* that had none as long as they were looked at */
	__u64 gone; /* that had ended before anybody had looked */
	__u64 torn; /* that changed each time they were looked at */
	__u64 left; /* that nobody looked at, or kept the route of, as there are too many */
};

/* Routes of spans that were met in the last keep_ns. 0 or -ENOMEM. */
int routes_new(struct routes **ret, __u64 keep_ns);
void routes_free(struct routes *r); /* NULL is fine */

/*
 * A span was looked at, at this time of CLOCK_MONOTONIC. route: NULL = it has none. parent: id of the span of
 * the same trace within which it began; 0 = none. 0; -ENOSPC if there are too many routes; -ENOMEM.
 */
int routes_set(struct routes *r, const struct route_key *key, const char *route, __u64 parent, __u64 now);
/* The route of a span, or of those within which it began; NULL = not known. It stays as long as r. */
const char *routes_find(const struct routes *r, const struct route_key *key);
/* Lets go spans that are too old. */
void routes_forget(struct routes *r, __u64 now);

size_t routes_spans(const struct routes *r);
/* To be counted in. */
struct route_counts *routes_count(struct routes *r);
struct route_counts routes_counts(const struct routes *r);

#endif
