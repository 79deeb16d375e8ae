/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * client.h - one request to a profiler that serves (--listen), for those who look at what it has. Who answers
 * may be anybody: what comes is bounded, in size and in time.
 */
#ifndef PYPERF_HTTP_CLIENT_H
#define PYPERF_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "http/address.h"

#define CLIENT_HEAD_MAX 16384 /* bytes before the body */

/*
 * GETs path, and appends the body of an answer 200 to body. token: NULL = none. seconds: until it is given
 * up. 0; -EACCES, which is 401; -EPROTO for another answer or none that is HTTP; -ETIMEDOUT; -EFBIG beyond
 * body->size_max; -errno of connecting. What the server said of a failure is in why, cut to size, else "".
 */
int client_get(const struct http_address *a, const char *path, const char *token, double seconds,
	       struct buf *body, char *why, size_t size);
/*
 * Whether whoever listens there says that it is a profiler, when it is asked for its health. Nothing else is
 * sent, and nothing that it says is handed on.
 */
bool client_is_profiler(const struct http_address *a, double seconds);

#endif
