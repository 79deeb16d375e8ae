/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profile_request.h - /debug/pprof/profile?seconds=N. Each request has a window of its own, which is opened
 * when the request comes; N seconds later a thread encodes it, and it is answered. /debug/pyperf/log asks for
 * a stretch of the journal, which has passed already. Meanwhile MHD does not look at the connection, and its
 * socket is watched here.
 */
#ifndef PYPERF_HTTP_PROFILE_REQUEST_H
#define PYPERF_HTTP_PROFILE_REQUEST_H

#include "http/health.h"
#include "http/suspended.h"

struct discover;
struct journal;
struct profile_request;
struct windows;

/* All requests. Whoever makes this sets the first five, which are borrowed. */
struct profile_requests {
	int epoll;   /* watches the sockets of those who wait; their data.ptr is the request */
	int eventfd; /* is written to when a profile has been encoded */
	struct windows *windows;
	struct discover *discover;
	struct journal *const *journal; /* to NULL if there is none */
	struct suspended *first;	/* who came first, of those who wait */
	unsigned int open;		/* how many these are */
	__u64 served;			/* requests that got a profile */
	__u64 abandoned;		/* requests whose client went away */
};

/* A request has just come: it waits from now on, or is refused and *ret stays untouched. */
enum MHD_Result profile_request_begin(struct profile_requests *all, enum health health,
				      const struct client *c, struct suspended **ret);
/* The same of one that asks for a stretch of the journal. */
enum MHD_Result profile_request_begin_log(struct profile_requests *all, enum health health,
					  const struct client *c, struct suspended **ret);
/* The client has gone while it waited: MHD is to hang up. */
void profile_request_gone(struct profile_request *r);

/* Moves on the requests that are due. */
void profile_requests_run(void *all, double now);
/* When the next one is due, CLOCK_MONOTONIC seconds; HTTP_NEVER if none waits. */
double profile_requests_next(const void *all);
/* None waits any more: all get what there is. */
void profile_requests_finish(void *all);

#endif
