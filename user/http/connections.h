/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * connections.h - how long a client may take. The limit is on the whole of a request, and on the whole of an
 * answer: a limit on the client's pauses could be evaded by one byte now and then.
 */
#ifndef PYPERF_HTTP_CONNECTIONS_H
#define PYPERF_HTTP_CONNECTIONS_H

#include <microhttpd.h>

#define CONNECTION_REQUEST_SECONDS 10 /* to send a request, or to stay without one */
#define CONNECTION_ANSWER_SECONDS  60 /* to take an answer */

#define HTTP_NEVER 1e18 /* a deadline, CLOCK_MONOTONIC seconds */

struct connection;

struct connections {
	struct connection *first;
};

/* MHD's notice of a connection's begin and end; context is struct connections. */
void connections_notify(void *context, struct MHD_Connection *connection, void **own,
			enum MHD_ConnectionNotificationCode code);
/* The client now has time until then (CLOCK_MONOTONIC seconds). */
void connection_set_deadline(struct MHD_Connection *connection, double deadline);
/* Its socket. */
int connection_fd(struct MHD_Connection *connection);

/* Hangs up on clients that are late. */
void connections_run(struct connections *c, double now);
/* When the next one will be late; HTTP_NEVER if there is no client with a limit. */
double connections_next(const struct connections *c);

#endif
