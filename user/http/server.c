// SPDX-License-Identifier: GPL-2.0-only
#include "http/server.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "http/address.h"
#include "http/connections.h"
#include "http/route.h"
#include "stats/run_facts.h"

#define CONNECTION_BYTES (16 << 10) /* for a request's lines and an answer's headers */
#define FINISH_STEP_MS	 20

/*
 * Connections of each listening socket. connections.c chooses the one that is too many, so that MHD, which
 * would leave the newest waiting, never comes to its own limit: this is room for clients that wait for a
 * profile and for those that are on their way out.
 */
#define DAEMON_CONNECTIONS (2 * CONNECTIONS_MAX + FOLLOWERS_MAX)

struct listener {
	struct MHD_Daemon *daemon;
	struct connections connections;
	struct entrance entrance;
	struct http_address address;
};

struct http {
	int epoll;   /* the daemons' own, the eventfd, and the sockets of clients that wait for a profile */
	int eventfd; /* whoever makes something for a request writes to it when http_run() has to be called */
	struct listener listeners[EXPOSURES];
	size_t listener_count;
	struct site site;
};

/* Watches a socket without a pointer: only clients that wait for a profile have one. */
static int watch_socket(const struct http *h, int fd)
{
	struct epoll_event e = { .events = EPOLLIN };

	return epoll_ctl(h->epoll, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

/* Who has requests that wait: each does what there is to do, on its own account. */
static const struct http_subject {
	size_t at;				/* in struct site */
	void (*run)(void *subject, double now); /* NULL: MHD is to be run, and that is all */
	double (*next)(const void *subject);	/* when that is due; NULL: the eventfd says so */
	void (*finish)(void *subject);		/* nobody waits any more */
	void (*free)(void *subject);		/* NULL: it owns nothing then */
} subjects[] = {
	{ offsetof(struct site, profiles), profile_requests_run, profile_requests_next,
	  profile_requests_finish, NULL },
	{ offsetof(struct site, stacks), stacks_requests_run, stacks_requests_next, stacks_requests_finish,
	  NULL },
	{ offsetof(struct site, source), NULL, NULL, source_requests_finish, NULL },
	{ offsetof(struct site, intervals), interval_requests_run, NULL, interval_requests_finish,
	  interval_requests_free },
	{ offsetof(struct site, followers), followers_run, NULL, followers_finish, NULL },
};

static void *subject_of(const struct site *s, size_t i)
{
	return (char *)s + subjects[i].at;
}

static void finish_subjects(struct site *s)
{
	s->health = HEALTH_ENDING;
	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++)
		subjects[i].finish(subject_of(s, i));
}

static void close_all(struct http *h)
{
	if (h->eventfd >= 0)
		close(h->eventfd);
	if (h->epoll >= 0)
		close(h->epoll);
}

static int open_all(struct http *h)
{
	int err;

	h->epoll = epoll_create1(EPOLL_CLOEXEC);
	h->eventfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = h->epoll < 0 || h->eventfd < 0 ? -errno : watch_socket(h, h->eventfd);
	if (err)
		close_all(h);
	return err;
}

/* What each subject reads, all of it borrowed. */
static void fill_site(struct http *h, const struct http_inputs *inputs)
{
	struct site *s = &h->site;

	s->inputs = *inputs;
	s->token.file = inputs->token_file;
	s->profiles = (struct profile_requests){
		.epoll = h->epoll,
		.eventfd = h->eventfd,
		.windows = inputs->windows,
		.discover = inputs->discover,
		.journal = inputs->journal,
	};
	s->stacks = (struct stacks_requests){
		.eventfd = h->eventfd,
		.discover = inputs->discover,
		.registry = inputs->registry,
		.selection = inputs->selection,
	};
	s->source = (struct source_requests){
		.eventfd = h->eventfd,
		.is_given = inputs->gives_source,
		.discover = inputs->discover,
		.registry = inputs->registry,
		.history = &s->recent.history,
	};
	s->intervals = (struct interval_requests){ .eventfd = h->eventfd, .recent = &s->recent };
	s->followers = (struct followers){ .newest = &s->recent.serial };
}

int http_new(struct http **ret, const struct http_inputs *inputs)
{
	struct http *h = calloc(1, sizeof(*h));
	int err = h ? hosts_open(&h->site.hosts, inputs->listen_host) : -ENOMEM;

	err = err ?: open_all(h);
	if (err) {
		if (h)
			hosts_close(&h->site.hosts);
		free(h);
		return err;
	}
	fill_site(h, inputs);
	*ret = h;
	return 0;
}

void http_offer_viewer(struct http *h, struct viewer_files *viewer)
{
	h->site.viewer = viewer;
}

/* libmicrohttpd calls this when it cannot go on, as when the kernel refuses what it never refuses. */
static void on_panic(void *context, const char *file, unsigned int line, const char *reason)
{
	(void)context;
	log_error("the HTTP server cannot go on (%s:%u): %.*s", file, line, (int)strcspn(reason ?: "", "\n"),
		  reason ?: "");
	_exit(EXIT_FAILURE);
}

static int start_daemon(struct http *h, struct listener *l, int fd)
{
	const union MHD_DaemonInfo *info;

	/* No thread, and nothing is logged: bad requests are the client's business. */
	l->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
				     route_request, &l->entrance,
				     MHD_OPTION_LISTEN_SOCKET, fd,
				     MHD_OPTION_CONNECTION_LIMIT, (unsigned int)DAEMON_CONNECTIONS,
				     MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
				     MHD_OPTION_STRICT_FOR_CLIENT, 1,
				     MHD_OPTION_NOTIFY_COMPLETED, route_completed, NULL,
				     MHD_OPTION_NOTIFY_CONNECTION, connections_notify, &l->connections,
				     MHD_OPTION_END);
	if (!l->daemon)
		return -ENOMEM;
	info = MHD_get_daemon_info(l->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	if (!info || watch_socket(h, info->epoll_fd)) {
		MHD_stop_daemon(TAKE_PTR(l->daemon));
		return -EIO;
	}
	return 0;
}

int http_listen(struct http *h, const struct http_address *a, enum exposure exposure)
{
	struct listener *l = &h->listeners[h->listener_count];
	int fd, err;

	MHD_set_panic_func(on_panic, NULL);
	if (h->listener_count == ARRAY_SIZE(h->listeners))
		return -ENOSPC;
	fd = http_address_listen(a);
	if (fd < 0)
		return fd;
	l->entrance = (struct entrance){ &h->site, exposure, http_address_is_local(a),
					 http_address_is_unix(a) };
	l->address = *a;
	err = start_daemon(h, l, fd); /* which then owns it, whatever became of it */
	h->listener_count += !err;
	return err;
}

int http_fd(const struct http *h)
{
	return h->epoll;
}

static double next_due(const struct http *h)
{
	double next = HTTP_NEVER;

	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++) {
		const struct http_subject *s = &subjects[i];
		const double due = s->next ? s->next(subject_of(&h->site, i)) : HTTP_NEVER;

		if (due < next)
			next = due;
	}
	for (size_t i = 0; i < h->listener_count; i++) {
		double late = connections_next(&h->listeners[i].connections);

		if (late < next)
			next = late;
	}
	if (h->site.recent.window && h->site.recent.due < next)
		next = h->site.recent.due;
	return next;
}

int http_timeout_ms(struct http *h)
{
	double next = next_due(h), left = next - clock_seconds();
	int ms = next >= HTTP_NEVER ? -1 : left > 0 ? (int)(left * 1e3) + 1 : 0;

	for (size_t i = 0; i < h->listener_count; i++) {
		MHD_UNSIGNED_LONG_LONG wanted;

		if (MHD_get_timeout(h->listeners[i].daemon, &wanted) != MHD_YES)
			continue;
		if (ms < 0 || wanted < (unsigned int)ms)
			ms = wanted;
	}
	return ms;
}

/* A client that waits for a profile, and can be read from, has gone. */
static void read_hangups(struct http *h)
{
	struct epoll_event events[16];
	int n = epoll_wait(h->epoll, events, ARRAY_SIZE(events), 0);

	for (int i = 0; i < n; i++)
		if (events[i].data.ptr)
			profile_request_gone(events[i].data.ptr);
}

void http_run(struct http *h)
{
	double now = clock_seconds();
	eventfd_t count;

	read_hangups(h);
	eventfd_read(h->eventfd, &count); /* first: what is done later writes to it again */
	if (h->site.recent.window && now >= h->site.recent.due)
		recent_run(&h->site.recent, now);
	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++)
		if (subjects[i].run)
			subjects[i].run(subject_of(&h->site, i), now);
	for (size_t i = 0; i < h->listener_count; i++) {
		connections_run(&h->listeners[i].connections, now);
		MHD_run(h->listeners[i].daemon);
	}
}

static int due_ms(void *http)
{
	return http_timeout_ms(http);
}

static void on_turn(void *http, unsigned int ready)
{
	if (ready & LOOP_READABLE || !http_timeout_ms(http))
		http_run(http);
}

int http_watch(struct http *h, struct loop *loop)
{
	return loop_watch(loop, &(struct loop_row){ http_fd(h), due_ms, on_turn, h });
}

int http_ready(struct http *h)
{
	double interval = h->site.inputs.run->interval_seconds;
	int err = recent_start(&h->site.recent, h->site.inputs.windows, interval, clock_seconds());

	if (!err)
		h->site.health = HEALTH_SAMPLING;
	return err;
}

static void stop_listening(struct http *h)
{
	for (size_t i = 0; i < h->listener_count; i++) {
		int fd = MHD_quiesce_daemon(h->listeners[i].daemon);

		if (fd >= 0)
			close(fd);
		http_address_remove(&h->listeners[i].address);
	}
}

void http_finish(struct http *h, int limit_ms)
{
	double end = clock_seconds() + limit_ms / 1e3;

	stop_listening(h);
	finish_subjects(&h->site);
	http_run(h);
	while (h->site.active && clock_seconds() < end) {
		struct epoll_event e;
		int ms = http_timeout_ms(h);

		epoll_wait(h->epoll, &e, 1, ms >= 0 && ms < FINISH_STEP_MS ? ms : FINISH_STEP_MS);
		http_run(h);
	}
	recent_stop(&h->site.recent);
}

void http_free(struct http *h)
{
	if (!h)
		return;
	finish_subjects(&h->site); /* MHD stops only when no connection is suspended */
	for (size_t i = 0; i < h->listener_count; i++) {
		MHD_stop_daemon(h->listeners[i].daemon);
		http_address_remove(&h->listeners[i].address);
	}
	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++)
		if (subjects[i].free)
			subjects[i].free(subject_of(&h->site, i));
	close_all(h);
	recent_stop(&h->site.recent);
	hosts_close(&h->site.hosts);
	viewer_files_free(h->site.viewer);
	free(h);
}
