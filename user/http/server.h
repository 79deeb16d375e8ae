/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * server.h - the profiler over HTTP: profiles of stretches of time, metrics, health, a page. It has no thread
 * of its own, but is a descriptor and a timeout of the run's event loop. Clients may be hostile: their
 * number, their time, their memory and their open requests for profiles are limited.
 */
#ifndef PYPERF_HTTP_SERVER_H
#define PYPERF_HTTP_SERVER_H

#include "http/address.h"
#include "http/inputs.h"

struct http;
struct loop;
struct viewer_files;

/* Returns 0 or -errno. */
int http_new(struct http **ret, const struct http_inputs *inputs);
/* Hangs up on everybody, and releases all. NULL is fine. */
void http_free(struct http *h);
/*
 * Listens at one more address, with places of its own for connections. 0 or -errno: -EADDRINUSE and others of
 * listening, -ENOSPC if there are EXPOSURES addresses.
 */
int http_listen(struct http *h, const struct http_address *a, enum exposure exposure);

/* Serves a viewer beside the page, and takes its files over. */
void http_offer_viewer(struct http *h, struct viewer_files *viewer);

/* Adds the row that does what there is to do: http_run(). 0 or -errno of loop_watch(). */
int http_watch(struct http *h, struct loop *loop);

/* Readable when there is something to do; the same for its whole life. */
int http_fd(const struct http *h);
/* Milliseconds until there is something to do without that; -1 = never. */
int http_timeout_ms(struct http *h);
/* Does what there is to do, and does not wait. */
void http_run(struct http *h);

/* Sampling has begun: from here on there are profiles. 0 or -ENOMEM. */
int http_ready(struct http *h);
/*
 * Sampling has ended: whoever waits for a profile gets what there is. Waits until the clients have taken
 * their answers, but at most that long.
 */
void http_finish(struct http *h, int limit_ms);

#endif
