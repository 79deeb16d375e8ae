/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * server.h - the profiler over HTTP: profiles of stretches of time, metrics, health, a page. One thread: it
 * is a descriptor and a timeout of the agent's event loop. Clients are hostile: their number, time, memory
 * and open profile requests are limited.
 */
#ifndef PYPERF_HTTP_SERVER_H
#define PYPERF_HTTP_SERVER_H

#include <stdbool.h>

#include "http/source.h"

struct http;
struct http_address;

/* Returns 0 or -errno. */
int http_new(struct http **ret, const struct http_source *source);
/* Hangs up on everybody, and releases all. NULL is fine. */
void http_free(struct http *h);
/* -errno of what failed, -EADDRINUSE among them. At most two addresses (-ENOSPC). */
int http_listen(struct http *h, const struct http_address *a, bool metrics_only);

/* Readable when there is something to do; the same for its whole life. */
int http_fd(const struct http *h);
/* Milliseconds until there is something to do without that; -1 = never. */
int http_timeout_ms(struct http *h);
/* Does what there is to do, without waiting. */
void http_run(struct http *h);

/* Sampling has begun: from here on there are profiles. 0 or -ENOMEM. */
int http_ready(struct http *h);
/* It has ended: profile requests get what there is. Waits for clients to take it, at most that long. */
void http_finish(struct http *h, int limit_ms);

#endif
