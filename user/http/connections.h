/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * connections.h - how long a client may take, and who leaves when there are too many. The limit of time is on
 * the whole of a request, and on the whole of an answer: a limit on the client's pauses could be evaded by
 * one byte now and then. Of too many the one leaves whose time is over first, so that a newcomer, who may be
 * a probe of the service's health, does not wait for the idle.
 */
#ifndef PYPERF_HTTP_CONNECTIONS_H
#define PYPERF_HTTP_CONNECTIONS_H

#include <microhttpd.h>

#define CONNECTION_REQUEST_SECONDS 10 /* to send a request, or to stay without one */
#define CONNECTION_ANSWER_SECONDS  60 /* to take an answer */

#define CONNECTIONS_MAX	   64 /* that have a limit of time */
#define CONNECTIONS_OF_ONE 32 /* of these, from one address */

#define HTTP_NEVER 1e18 /* a deadline, CLOCK_MONOTONIC seconds */

struct connection;

/* The connections of one listening socket. */
struct connections {
	struct connection *first;
};

/*
 * The address of a client, without its port. An IPv4 address is mapped; clients of a Unix socket are all
 * alike.
 */
struct client_address {
	unsigned char bytes[16];
};

/*
 * MHD's notice of a connection's begin and end; context is struct connections. A connection that is one too
 * many makes one hang up that has a limit of time: of the address with the most of them.
 */
void connections_notify(void *context, struct MHD_Connection *connection, void **own,
			enum MHD_ConnectionNotificationCode code);
/* The client now has time until then (CLOCK_MONOTONIC seconds). HTTP_NEVER: it does not leave for others. */
void connection_set_deadline(struct MHD_Connection *connection, double deadline);
/* The socket of a connection. */
int connection_fd(struct MHD_Connection *connection);
struct client_address connection_address(struct MHD_Connection *connection);

/* Hangs up on clients that are late. */
void connections_run(struct connections *c, double now);
/* When the next one will be late; HTTP_NEVER if there is no client with a limit. */
double connections_next(const struct connections *c);

#endif
