/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stacks_request.h - /debug/pyperf/stacks: what the threads of a process that is profiled, or of all of them,
 * do now. A thread takes the look, one request after the other, and asks the run's own worker by way of the
 * event loop (dump/relay.h); clients wait for it meanwhile. Looks get half of the time, at most.
 */
#ifndef PYPERF_HTTP_STACKS_REQUEST_H
#define PYPERF_HTTP_STACKS_REQUEST_H

#include <stdbool.h>

#include "http/health.h"
#include "http/suspended.h"

#define STACKS_WAITING_MAX   8	/* requests, the one that is looked for included ... */
#define STACKS_OF_ONE	     6	/* ... of these, from one address */
#define STACKS_WAIT_SECONDS  10 /* that a request may wait for those before it ... */
#define STACKS_LOOK_SECONDS  10 /* ... and then for its look */
#define STACKS_PROCESSES_MAX 100
#define STACKS_BYTES_MAX     (32UL << 20) /* of an answer */
#define STACKS_NAMES_MAX     (16UL << 20) /* of the names of one look */

struct discover;
struct job;
struct registry;
struct relay;
struct selection;

/* All requests. Whoever makes this sets the first four, which are borrowed. */
struct stacks_requests {
	int eventfd; /* is written to when stacks_requests_run() has something to do */
	struct discover *discover;
	const struct registry *registry;
	/*
	 * The processes that are profiled as soon as they run. One that has hung since before it was known to
	 * be Python is not in the registry. NULL: clients see only processes of the registry.
	 */
	const struct selection *selection;
	struct suspended *first; /* who came first; with a job, the one that it is for */
	struct job *job;
	struct relay *relay; /* the job's; NULL without one */
	bool worker_is_full; /* so that what the job asks waits */
	double begun, next;  /* when the job was begun, and may be; CLOCK_MONOTONIC seconds */
};

/* A request has just come: it waits from now on, or is answered at once and *ret stays untouched. */
enum MHD_Result stacks_request_begin(struct stacks_requests *all, enum health health, const struct client *c,
				     struct suspended **ret);

/* Passes on what the look asks, wakes who has waited for it, and begins the next one. */
void stacks_requests_run(void *all, double now);
/* When that is due, whatever the eventfd says, CLOCK_MONOTONIC seconds; HTTP_NEVER if no request waits. */
double stacks_requests_next(const void *all);
/* None waits any more. Stops the look, which takes some milliseconds. */
void stacks_requests_finish(void *all);

#endif
