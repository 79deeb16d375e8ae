// SPDX-License-Identifier: GPL-2.0-only
#include "http/connections.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"

struct connection {
	struct connection *next, **link; /* link: what points to this one */
	int fd;
	struct client_address address;
	double deadline; /* HTTP_NEVER: it waits for a profile, or was hung up on */
};

int connection_fd(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

struct client_address connection_address(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	const struct sockaddr *a = info ? info->client_addr : NULL;
	struct client_address ret = {};

	if (a && a->sa_family == AF_INET6) {
		memcpy(ret.bytes, &((const struct sockaddr_in6 *)(const void *)a)->sin6_addr, 16);
	} else if (a && a->sa_family == AF_INET) {
		memset(ret.bytes + 10, 0xff, 2);
		memcpy(ret.bytes + 12, &((const struct sockaddr_in *)(const void *)a)->sin_addr, 4);
	}
	return ret;
}

static struct connection *connection_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

static struct connection *add_connection(struct connections *all, struct MHD_Connection *connection)
{
	struct connection *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	*c = (struct connection){
		.next = all->first,
		.link = &all->first,
		.fd = connection_fd(connection),
		.address = connection_address(connection),
		.deadline = clock_seconds() + CONNECTION_REQUEST_SECONDS,
	};
	if (all->first)
		all->first->link = &c->next;
	all->first = c;
	return c;
}

/* The connection is closed where it is read next. */
static void hang_up(struct connection *c)
{
	shutdown(c->fd, SHUT_RDWR);
	c->deadline = HTTP_NEVER;
}

static bool may_leave(const struct connection *c)
{
	return c->deadline < HTTP_NEVER;
}

static bool is_of(const struct connection *c, const struct client_address *a)
{
	return !memcmp(&c->address, a, sizeof(*a));
}

/* a = NULL: from anywhere */
static size_t count(const struct connections *all, const struct client_address *a)
{
	size_t n = 0;

	for (const struct connection *c = all->first; c; c = c->next)
		n += may_leave(c) && (!a || is_of(c, a));
	return n;
}

/* The client with the most connections that may leave. Of several clients it is the one who came first. */
static const struct client_address *greatest(const struct connections *all, size_t *ret_count)
{
	const struct client_address *found = NULL;
	size_t most = 1;

	for (const struct connection *c = all->first; c; c = c->next) {
		size_t n = may_leave(c) ? count(all, &c->address) : 0;

		if (n < most)
			continue;
		most = n;
		found = &c->address;
	}
	*ret_count = most;
	return found;
}

/* The newest stays: whoever looks whether the service is alive comes anew each time. */
static void close_most(struct connections *all, const struct connection *newest)
{
	size_t total = count(all, NULL), most;
	const struct client_address *whose;
	struct connection *leaves = NULL;

	if (total <= CONNECTIONS_OF_ONE)
		return;
	whose = greatest(all, &most);
	if (total <= CONNECTIONS_MAX && most <= CONNECTIONS_OF_ONE)
		return;
	for (struct connection *c = all->first; c; c = c->next)
		if (c != newest && may_leave(c) && is_of(c, whose) &&
		    (!leaves || c->deadline <= leaves->deadline))
			leaves = c;
	if (leaves)
		hang_up(leaves);
}

void connections_notify(void *context, struct MHD_Connection *connection, void **own,
			enum MHD_ConnectionNotificationCode code)
{
	struct connection *c = *own;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		*own = c = add_connection(context, connection);
		if (c)
			close_most(context, c);
		else /* nobody would watch its time */
			shutdown(connection_fd(connection), SHUT_RDWR);
		return;
	}
	if (!c)
		return;
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
	*own = NULL;
	free(c);
}

void connection_set_deadline(struct MHD_Connection *connection, double deadline)
{
	struct connection *c = connection_of(connection);

	if (c)
		c->deadline = deadline;
}

void connections_run(struct connections *all, double now)
{
	for (struct connection *c = all->first; c; c = c->next)
		if (now >= c->deadline)
			hang_up(c);
}

double connections_next(const struct connections *all)
{
	double next = HTTP_NEVER;

	for (const struct connection *c = all->first; c; c = c->next)
		if (c->deadline < next)
			next = c->deadline;
	return next;
}
