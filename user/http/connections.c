// SPDX-License-Identifier: GPL-2.0-only
#include "http/connections.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "base/clock.h"

struct connection {
	struct connection *next, **link; /* link: what points to this one */
	int fd;
	double deadline;
};

int connection_fd(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

static struct connection *find(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

static struct connection *add(struct connections *all, struct MHD_Connection *connection)
{
	struct connection *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	*c = (struct connection){
		.next = all->first,
		.link = &all->first,
		.fd = connection_fd(connection),
		.deadline = clock_seconds() + CONNECTION_REQUEST_SECONDS,
	};
	if (all->first)
		all->first->link = &c->next;
	all->first = c;
	return c;
}

void connections_notify(void *context, struct MHD_Connection *connection, void **own,
			enum MHD_ConnectionNotificationCode code)
{
	struct connection *c = *own;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		*own = add(context, connection);
		if (!*own) /* nobody would watch its time */
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
	struct connection *c = find(connection);

	if (c)
		c->deadline = deadline;
}

void connections_run(struct connections *all, double now)
{
	for (struct connection *c = all->first; c; c = c->next) {
		if (now < c->deadline)
			continue;
		shutdown(c->fd, SHUT_RDWR); /* it is closed where it is read next */
		c->deadline = HTTP_NEVER;
	}
}

double connections_next(const struct connections *all)
{
	double next = HTTP_NEVER;

	for (const struct connection *c = all->first; c; c = c->next)
		if (c->deadline < next)
			next = c->deadline;
	return next;
}
