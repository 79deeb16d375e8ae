/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * source_request.h - /debug/pyperf/source (--listen-source): the text of lines of a function. It is given of
 * functions that an interval has which is kept, in stacks of the process whose file is read, from the line at
 * which it begins to the last one that was counted. The run's own worker reads the file; the client waits
 * meanwhile, and the event loop does not.
 */
#ifndef PYPERF_HTTP_SOURCE_REQUEST_H
#define PYPERF_HTTP_SOURCE_REQUEST_H

#include <stdbool.h>

#include "http/health.h"
#include "http/suspended.h"

#define SOURCE_WAITING_MAX 8 /* requests that wait ... */
#define SOURCE_OF_ONE	   6 /* ... and of these, from one address */

struct discover;
struct history;
struct registry;

/* All requests. Whoever makes this sets the first five, of which four are borrowed. */
struct source_requests {
	int eventfd;   /* is written to when a request waits no longer, so that MHD is to be run */
	bool is_given; /* --listen-source */
	struct discover *discover;
	const struct registry *registry;
	const struct history *history;
	struct suspended *first;
};

/* A request has just come: it waits from now on, or is answered at once and *ret stays untouched. */
enum MHD_Result source_request_begin(struct source_requests *all, enum health health, const struct client *c,
				     struct suspended **ret);
/* None waits any more. */
void source_requests_finish(void *all);

#endif
