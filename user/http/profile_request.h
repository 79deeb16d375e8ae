/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profile_request.h - /debug/pprof/profile?seconds=N: a window of its own for each request, opened when it
 * comes, answered N seconds later. Meanwhile the connection is suspended and its socket watched.
 */
#ifndef PYPERF_HTTP_PROFILE_REQUEST_H
#define PYPERF_HTTP_PROFILE_REQUEST_H

#include "http/internal.h"

/* A request that has just come; answers it only if it is refused. */
enum MHD_Result profile_request_begin(struct visit *v);
/* The same request when MHD comes back to it: its time is over. */
enum MHD_Result profile_request_end(struct visit *v);
/* Its client has gone: frees its window. */
void profile_request_gone(struct visit *v);
/* Whatever became of it; v itself stays. */
void profile_request_release(struct visit *v);

/* Moves on those that are due. */
void profile_requests_run(struct http *h, double now);
/* When the next one is; CLOCK_MONOTONIC seconds. */
double profile_requests_next(const struct http *h);
/* All are due now. */
void profile_requests_finish(struct http *h);

#endif
