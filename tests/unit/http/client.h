/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * client.h - HTTP clients and their server for tests, in one thread: a client's socket does not block, and
 * whoever waits for an answer lets the server work meanwhile.
 */
#ifndef PYPERF_TESTS_HTTP_CLIENT_H
#define PYPERF_TESTS_HTTP_CLIENT_H

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <microhttpd.h>

#include "base/clock.h"
#include "http/answer.h"
#include "http/connections.h"
#include "tests/forge/test.h"

#define GET(path)	 REQUEST_TO("GET", path, "localhost")
#define REQUEST_TO(method, path, host) \
	method " " path " HTTP/1.1\r\nHost: " host "\r\nConnection: close\r\n\r\n"

#define PATIENCE_SECONDS 20 /* for what comes after milliseconds, unless the machine is busy */

static in_port_t port; /* of the server */
static void (*let_server_work)(void);

/* A socket that listens at a port of 127.0.0.1 that the kernel chooses, which is then in port. */
static inline int listen_somewhere(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, 512), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &size), 0);
	port = a.sin_port;
	return fd;
}

/* A client, connected from this address of 127.0.0.0/8, all of which are this machine. */
static inline int connect_client_from(in_addr_t from)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(from) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	a.sin_port = port;
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

static inline int connect_client(void)
{
	return connect_client_from(INADDR_LOOPBACK);
}

static inline void say(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* What the server has to say until it hangs up; the client closes then, too. Valid until the next call. */
static inline const char *hear(int fd)
{
	static char text[1 << 20];
	double end = clock_seconds() + PATIENCE_SECONDS;
	size_t size = 0;
	ssize_t n = -1;

	while (n) {
		let_server_work();
		n = recv(fd, text + size, sizeof(text) - 1 - size, MSG_DONTWAIT);
		assert_true(n >= 0 || errno == EAGAIN || errno == ECONNRESET);
		if (n < 0 && errno == ECONNRESET)
			break;
		if (n < 0)
			usleep(200);
		size += n > 0 ? n : 0;
		assert_true(clock_seconds() < end);
	}
	close(fd);
	text[size] = '\0';
	return text;
}

/* The answer to a request. */
static inline const char *ask(const char *request)
{
	int fd = connect_client();

	say(fd, request);
	return hear(fd);
}

/* 0: there is no answer. */
static inline int status_of(const char *answer)
{
	int status = 0;

	return sscanf(answer, "HTTP/1.1 %d ", &status) == 1 ? status : 0;
}

static inline const char *body_of(const char *answer)
{
	const char *end = strstr(answer, "\r\n\r\n");

	return end ? end + 4 : "";
}

/* "Name: value". */
static inline bool has_header(const char *answer, const char *header)
{
	const char *found = strcasestr(answer, header);

	return found && found < body_of(answer) && found[-1] == '\n' && found[strlen(header)] == '\r';
}

/* --- a server of a test's own --------------------------------------------------------------------------- */

static struct MHD_Daemon *server;
static struct connections connections;

static inline void run_daemon(void)
{
	MHD_run(server);
}

/* As server.c starts its own, with this handler of requests. */
static inline void start_server(MHD_AccessHandlerCallback handler, void *context,
				MHD_RequestCompletedCallback completed)
{
	server = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handler, context,
				  MHD_OPTION_LISTEN_SOCKET, listen_somewhere(), MHD_OPTION_NOTIFY_COMPLETED,
				  completed, NULL, MHD_OPTION_NOTIFY_CONNECTION, connections_notify,
				  &connections, MHD_OPTION_END);
	assert_non_null(server);
	let_server_work = run_daemon;
}

static inline void stop_server(void)
{
	if (server)
		MHD_stop_daemon(server);
	server = NULL;
	assert_null(connections.first);
}

/* A handler that answers each request at once, by *context: a function of this type. */
typedef enum MHD_Result answer_function(const struct client *c);

static struct answer_counts counts;

static inline enum MHD_Result answer_at_once(void *context, struct MHD_Connection *connection,
					     const char *url, const char *method, const char *version,
					     const char *body, size_t *body_size, void **own)
{
	struct client c = { connection, &counts };
	answer_function **answer = context;

	(void)url;
	(void)method;
	(void)version;
	(void)body;
	if (!*own) { /* the headers; the request is not whole yet */
		*own = connection;
		return MHD_YES;
	}
	*body_size = 0;
	return (*answer)(&c);
}

#endif
