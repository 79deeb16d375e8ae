// SPDX-License-Identifier: GPL-2.0-only
#include "http/suspended.h"

#include <stdlib.h>
#include <string.h>

struct suspended suspended_begin(const struct client *c, enum MHD_Result (*end)(struct suspended *w),
				 void (*free)(struct suspended *w))
{
	return (struct suspended){
		.end = end,
		.free = free,
		.client = *c,
		.address = connection_address(c->connection),
	};
}

void suspended_add(struct suspended **first, struct suspended *w)
{
	while (*first)
		first = &(*first)->next;
	*first = w;
	w->next = NULL;
	connection_set_deadline(w->client.connection, HTTP_NEVER);
	MHD_suspend_connection(w->client.connection);
}

void suspended_wake(struct suspended **first, struct suspended *w, int error)
{
	while (*first != w)
		first = &(*first)->next;
	*first = w->next;
	w->error = error;
	MHD_resume_connection(w->client.connection);
}

void suspended_wake_all(struct suspended **first, int error)
{
	while (*first)
		suspended_wake(first, *first, error);
}

bool suspended_are_full(const struct suspended *first, const struct client_address *address,
			unsigned int most, unsigned int of_one)
{
	unsigned int n = 0, same = 0;

	for (const struct suspended *w = first; w; w = w->next) {
		n++;
		same += !memcmp(&w->address, address, sizeof(*address));
	}
	return n >= most || same >= of_one;
}

void suspended_free(struct suspended *w)
{
	buf_free(&w->out);
	free(w);
}
