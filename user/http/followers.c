// SPDX-License-Identifier: GPL-2.0-only
#include "http/followers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "http/connections.h"

#define EVENT_SIZE 64

struct follower {
	struct followers *all;
	struct MHD_Connection *connection;
	struct client_address address;
	unsigned long told; /* the last number that was sent */
	bool sleeps;	    /* MHD does not look at the connection */
	struct follower *next;
};

/* MHD has room for more of the answer. Without news it sleeps until followers_run() wakes it. */
static ssize_t add_news(void *context, uint64_t position, char *to, size_t size)
{
	struct follower *f = context;

	(void)position;
	if (f->all->ended)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (f->told == f->all->serial || size < EVENT_SIZE) {
		f->sleeps = true;
		MHD_suspend_connection(f->connection);
		return 0;
	}
	f->told = f->all->serial;
	return snprintf(to, size, "event: interval\ndata: %lu\n\n", f->told);
}

static void leave(void *context)
{
	struct follower *f = context;

	for (struct follower **at = &f->all->first; *at; at = &(*at)->next) {
		if (*at != f)
			continue;
		*at = f->next;
		f->all->count--;
		break;
	}
	free(f);
}

static unsigned int count_of(const struct followers *all, const struct client_address *address)
{
	unsigned int n = 0;

	for (const struct follower *f = all->first; f; f = f->next)
		n += !memcmp(&f->address, address, sizeof(*address));
	return n;
}

static enum MHD_Result start(struct followers *all, const struct client *c)
{
	struct follower *f = calloc(1, sizeof(*f));
	struct MHD_Response *r;
	enum MHD_Result result;

	if (!f)
		return MHD_NO;
	f->all = all;
	f->connection = c->connection;
	f->address = connection_address(c->connection);
	r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4 * EVENT_SIZE, add_news, f, leave);
	if (!r) {
		free(f);
		return MHD_NO;
	}
	f->next = all->first;
	all->first = f;
	all->count++;
	answer_add_headers(r, "text/event-stream");
	result = answer_send(c, MHD_HTTP_OK, r);
	MHD_destroy_response(r);
	connection_set_deadline(c->connection, HTTP_NEVER);
	return result;
}

enum MHD_Result followers_answer(struct followers *all, const struct client *c)
{
	const struct client_address address = connection_address(c->connection);

	if (all->ended)
		return answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE, "not sampling any more");
	if (all->count >= FOLLOWERS_MAX || count_of(all, &address) >= FOLLOWERS_OF_ONE)
		return answer_line(c, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "%u pages follow the run, which is the most", all->count);
	return start(all, c);
}

static void wake_all(struct followers *all)
{
	for (struct follower *f = all->first; f; f = f->next)
		if (f->sleeps) {
			f->sleeps = false;
			MHD_resume_connection(f->connection);
		}
}

void followers_run(void *followers, double now)
{
	struct followers *all = followers;

	(void)now;
	if (all->serial == *all->newest)
		return;
	all->serial = *all->newest;
	wake_all(all);
}

void followers_finish(void *followers)
{
	struct followers *all = followers;

	all->ended = true;
	wake_all(all);
}
