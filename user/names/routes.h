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

/* That are kept; then the oldest of who has most makes room. A route is kept as long as a span has it. */
#define ROUTES_SPANS_MAX 65536

struct routes;

/* A span of a process. Processes may say that they have the same ids. */
struct route_key {
	struct trace_ids ids;
	__u32 pid, pad;
};

/* What became of spans whose route was asked for. */
struct route_counts {
	__u64 found;
	__u64 none;	 /* that had none as long as they were looked at */
	__u64 gone;	 /* that had ended before anybody had looked */
	__u64 torn;	 /* that changed each time they were looked at */
	__u64 left;	 /* that nobody looked at, as there are too many */
	__u64 forgotten; /* that made room for others */
};

/* Routes of spans that were met in the last keep_ns. 0 or -ENOMEM. */
int routes_new(struct routes **ret, __u64 keep_ns);
void routes_free(struct routes *r); /* NULL is fine */

/* What was found of a span. */
struct route_met {
	__u64 user;	   /* whose process it is of, as struct process has it */
	const char *route; /* NULL = it has none */
	__u64 parent;	   /* id of the span of the same trace within which it began; 0 = none */
	__u64 now;	   /* when it was looked at: CLOCK_MONOTONIC, ns */
};

/* 0 or -ENOMEM. */
int routes_set(struct routes *r, const struct route_key *key, const struct route_met *met);
/* The route of a span, or of those within which it began; NULL = not known. Valid until r is changed. */
const char *routes_find(const struct routes *r, const struct route_key *key);
/* Lets go spans that are too old. */
void routes_forget(struct routes *r, __u64 now);

size_t routes_spans(const struct routes *r);
/* Different routes, of each user. */
size_t routes_texts(const struct routes *r);
/* To be counted in. */
struct route_counts *routes_count(struct routes *r);
struct route_counts routes_counts(const struct routes *r);

#endif
