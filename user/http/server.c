// SPDX-License-Identifier: GPL-2.0-only
#include "http/server.h"

#include <errno.h>
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
	int epoll; /* the daemons' own, and the sockets of clients that wait for a profile */
	struct listener listeners[EXPOSURES];
	size_t listener_count;
	struct site site;
};

/* Watches a socket without a pointer: only clients that wait for a profile have one. */
static int watch(const struct http *h, int fd)
{
	struct epoll_event e = { .events = EPOLLIN };

	return epoll_ctl(h->epoll, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

static void close_all(struct http *h)
{
	interval_requests_close(&h->site.intervals);
	if (h->site.profiles.eventfd >= 0)
		close(h->site.profiles.eventfd);
	if (h->site.stacks.eventfd >= 0)
		close(h->site.stacks.eventfd);
	if (h->site.source.eventfd >= 0)
		close(h->site.source.eventfd);
	if (h->epoll >= 0)
		close(h->epoll);
}

static int open_all(struct http *h)
{
	int err = interval_requests_open(&h->site.intervals, &h->site.recent);

	if (err)
		return err;
	h->epoll = epoll_create1(EPOLL_CLOEXEC);
	h->site.profiles.eventfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	h->site.stacks.eventfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	h->site.source.eventfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = h->epoll < 0 || h->site.profiles.eventfd < 0 || h->site.stacks.eventfd < 0 ||
	      h->site.source.eventfd < 0 ? -errno : 0;
	err = err ?: watch(h, h->site.intervals.eventfd) ?: watch(h, h->site.profiles.eventfd) ?:
	      watch(h, h->site.stacks.eventfd) ?: watch(h, h->site.source.eventfd);
	if (err)
		close_all(h);
	return err;
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
	h->site.inputs = *inputs;
	h->site.token.file = inputs->token_file;
	h->site.profiles.epoll = h->epoll;
	h->site.profiles.windows = inputs->windows;
	h->site.profiles.discover = inputs->discover;
	h->site.profiles.journal = inputs->journal;
	h->site.stacks.discover = inputs->discover;
	h->site.stacks.registry = inputs->registry;
	h->site.stacks.selection = inputs->selection;
	h->site.source.is_given = inputs->gives_source;
	h->site.source.discover = inputs->discover;
	h->site.source.registry = inputs->registry;
	h->site.source.history = &h->site.recent.history;
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
	if (!info || watch(h, info->epoll_fd)) {
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
	double next = profile_requests_next(&h->site.profiles);
	const double stacks = stacks_requests_next(&h->site.stacks);

	for (size_t i = 0; i < h->listener_count; i++) {
		double late = connections_next(&h->listeners[i].connections);

		if (late < next)
			next = late;
	}
	if (stacks < next)
		next = stacks;
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

	read_hangups(h);
	profile_requests_run(&h->site.profiles, now);
	stacks_requests_run(&h->site.stacks, now);
	source_requests_run(&h->site.source);
	if (h->site.recent.window && now >= h->site.recent.due)
		recent_run(&h->site.recent, now);
	interval_requests_run(&h->site.intervals);
	followers_run(&h->site.followers, h->site.recent.serial);
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

	h->site.health = HEALTH_ENDING;
	stop_listening(h);
	profile_requests_finish(&h->site.profiles);
	stacks_requests_finish(&h->site.stacks);
	source_requests_finish(&h->site.source);
	interval_requests_finish(&h->site.intervals);
	followers_finish(&h->site.followers);
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
	h->site.health = HEALTH_ENDING;
	interval_requests_finish(&h->site.intervals);
	followers_finish(&h->site.followers);
	stacks_requests_finish(&h->site.stacks);
	source_requests_finish(&h->site.source);
	profile_requests_finish(&h->site.profiles); /* MHD stops only when no connection is suspended */
	for (size_t i = 0; i < h->listener_count; i++) {
		MHD_stop_daemon(h->listeners[i].daemon);
		http_address_remove(&h->listeners[i].address);
	}
	close_all(h); /* gives back what is lent of the profile */
	recent_stop(&h->site.recent);
	hosts_close(&h->site.hosts);
	viewer_files_free(h->site.viewer);
	free(h);
}
