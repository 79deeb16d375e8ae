/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * interval_request.h - /debug/pyperf/interval: the profile of the last interval, or of some of the last ones,
 * in the form of views/graph.h or in any format. The client's query selects samples by their labels. It is
 * made in a thread, once for each profile and query, and clients wait for it meanwhile. Queries that differ
 * get a tenth of the time.
 */
#ifndef PYPERF_HTTP_INTERVAL_REQUEST_H
#define PYPERF_HTTP_INTERVAL_REQUEST_H

#include <stddef.h>

#include "http/answer.h"
#include "http/encode_job.h"
#include "http/history.h"
#include "http/suspended.h"
#include "profile/filter.h"

struct job;
struct recent;

#define INTERVAL_ROWS	       8  /* answers that are kept, beside those without a filter */
#define INTERVAL_BYTES_MAX     (64UL << 20) /* of these, beside the newest */
#define INTERVAL_WAITING_MAX   16 /* clients that wait for one */
#define INTERVAL_SHARE	       0.1 /* of the time, for answers with a filter ... */
#define INTERVAL_SECONDS_SAVED 1.0 /* ... of which so many seconds may be spent at once */

/* Serial numbers of the first interval and the last one; 0, 0 = the newest, whichever it is. */
struct stretch {
	unsigned long first, last;
};

/* All requests. Whoever makes this sets the first two, which are borrowed. */
struct interval_requests {
	int eventfd; /* is written to when interval_requests_run() has something to do */
	struct recent *recent;
	unsigned long of; /* the newest serial number when a job was begun: answers of the newest are of it */
	struct MHD_Response *whole; /* without a filter, as the page draws it */
	struct {
		struct profile_filter filter;
		int format;
		struct stretch stretch;
		struct MHD_Response *response; /* NULL: it is free */
		size_t size;		       /* bytes of it */
	} rows[INTERVAL_ROWS];
	size_t next;			    /* row to be replaced */
	struct job *job;		    /* under way, or NULL */
	struct stretch stretch;		    /* of it */
	struct interval *lent[HISTORY_MAX]; /* what it reads ... */
	const struct profile *parts[HISTORY_MAX];
	size_t lent_count;
	double begun;		 /* when it was, CLOCK_MONOTONIC seconds */
	int error;		 /* of the last job */
	struct suspended *first; /* who came first, of those who wait */
	double spent;		 /* seconds that are not made up for yet ... */
	double looked;		 /* ... at this time */
	bool ended;		 /* nothing is begun any more */
};

/* A request has just come: it waits from now on, or is answered at once and *ret stays untouched. */
enum MHD_Result interval_request_begin(struct interval_requests *all, const struct client *c,
				       struct suspended **ret);
/* Takes what the thread has made, and wakes who waits for it. */
void interval_requests_run(void *all, double now);
/* Nobody waits any more, what is under way is stopped, and who asks is refused. */
void interval_requests_finish(void *all);
/* Forgets all answers, once MHD has none of them any more. */
void interval_requests_free(void *all);

#endif
