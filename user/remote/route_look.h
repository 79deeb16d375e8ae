/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * route_look.h - the route of the request that a live span of OpenTelemetry's SDK is of: its attribute
 * http.route. Of a span that has none, which span is its parent.
 *
 * The program runs meanwhile. So a span counts only if it has its ids before and after, and if all that was
 * read of it is the same twice. Nothing read is trusted.
 */
#ifndef PYPERF_REMOTE_ROUTE_LOOK_H
#define PYPERF_REMOTE_ROUTE_LOOK_H

#include <sys/types.h>

#include "base/buf.h"
#include "bpf/abi.h"

#define ROUTES_AT_ONCE 16
#define ROUTE_BYTES    256 /* of a route, NUL included; one of as many characters is none */

struct route_span {
	__u64 address;
	struct trace_ids ids;
};

/* Plain data: it travels between processes. */
struct routes_question {
	struct trace_place place; /* of the process */
	struct route_span span[ROUTES_AT_ONCE];
	__u32 count;
	__u32 pad;
};

enum route_state {
	ROUTE_GONE,    /* there is no span with these ids any more */
	ROUTE_TORN,    /* it has changed while it was read */
	ROUTE_NONE,    /* it has no route, or none that can be read */
	ROUTE_FOUND,
	ROUTE_STATES,
};

struct route_found {
	__u32 state; /* enum route_state */
	__u32 pad;
	__u64 parent; /* id of the span of the same trace within which it began; 0 = none, or it is gone */
	char route[ROUTE_BYTES]; /* "" unless found */
};

#define ROUTES_BYTES_MAX (ROUTES_AT_ONCE * sizeof(struct route_found))

/*
 * Adds a struct route_found for each span of the question. The process is reached through thread `memory`.
 * 0, -EINVAL for a question that cannot be, or -ENOMEM.
 */
int route_look(pid_t memory, const struct layout *layout, const struct routes_question *q, struct buf *out);

#endif
