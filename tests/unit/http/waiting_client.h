/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * waiting_client.h - client.h, and a handler of requests that wait. As route.c does, it asks such a request
 * again when it waits no longer.
 */
#ifndef PYPERF_TESTS_HTTP_WAITING_CLIENT_H
#define PYPERF_TESTS_HTTP_WAITING_CLIENT_H

#include "http/suspended.h"
#include "tests/unit/http/client.h"

/* The handler's context: a request has just come, as profile_request_begin(). */
typedef enum MHD_Result begin_function(const struct client *c, struct suspended **ret);

/* What a connection's own pointer is before it waits, and after it was refused. */
static int begun;
/* Requests that have begun to wait so far. */
static int waits_begun;

static inline enum MHD_Result wait_or_answer(void *context, struct MHD_Connection *connection,
					     const char *url, const char *method, const char *version,
					     const char *body, size_t *body_size, void **own)
{
	struct client c = { connection, &counts };
	begin_function *begin = context;
	struct suspended *w = *own;

	(void)url;
	(void)method;
	(void)version;
	(void)body;
	(void)body_size;
	if (!*own) {
		*own = &begun;
		return MHD_YES;
	}
	if (*own == &begun) {
		struct suspended *waits = NULL;
		enum MHD_Result result = begin(&c, &waits);

		*own = waits ?: *own;
		waits_begun += waits != NULL;
		return result;
	}
	return w->end(w);
}

static inline void waiting_completed(void *context, struct MHD_Connection *connection, void **own,
				     enum MHD_RequestTerminationCode code)
{
	struct suspended *w = *own;

	(void)context;
	(void)connection;
	(void)code;
	if (*own != &begun)
		w->free(w);
}

/* A client at an address of 127.0.0.0/8, once its request waits. */
static inline int waiting_from(in_addr_t address, const char *text)
{
	double end = clock_seconds() + PATIENCE_SECONDS;
	int fd = connect_client_from(address), before = waits_begun;

	say(fd, text);
	while (waits_begun == before) {
		let_server_work();
		assert_true(clock_seconds() < end);
	}
	return fd;
}

#endif
