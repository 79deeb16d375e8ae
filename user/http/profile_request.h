/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profile_request.h - /debug/pprof/profile?seconds=N: a window of its own for each request, opened when it
 * comes, answered N seconds later. Meanwhile the connection is suspended and its socket watched.
 */
#ifndef PYPERF_HTTP_PROFILE_REQUEST_H
#define PYPERF_HTTP_PROFILE_REQUEST_H

#include "http/health.h"

struct discover;
struct kernel;
struct profile_request;
struct windows;

/* All of them. The first four are the owner's. */
struct profile_requests {
	int epoll; /* watches the sockets of those who wait; their data.ptr is the request */
	struct kernel *kernel;
	struct windows *windows;
	const struct discover *discover;
	struct profile_request *waiting;
	unsigned int open; /* how many wait */
	__u64 served;	   /* requests that got a profile */
	__u64 abandoned;   /* those whose client went away */
};

/* A request that has just come. It is refused, and then *ret stays untouched, or waits. */
enum MHD_Result profile_request_begin(struct profile_requests *all, enum health health,
				      const struct client *c, struct profile_request **ret);
/* MHD comes back to it: its time is over. */
enum MHD_Result profile_request_end(struct profile_request *r);
/* Its client has gone: MHD is to hang up. */
void profile_request_gone(struct profile_request *r);
/* It does not wait any more. NULL is fine. */
void profile_request_free(struct profile_request *r);

/* Moves on those that are due. */
void profile_requests_run(struct profile_requests *all, double now);
/* When the next one is; CLOCK_MONOTONIC seconds. */
double profile_requests_next(const struct profile_requests *all);
/* All are due now. */
void profile_requests_finish(struct profile_requests *all);

#endif
