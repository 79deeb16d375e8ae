/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * http_server.h - a server of a test on a port of its own of this machine: a child process that answers every
 * request with the same bytes, and shows what it was sent. With an answer of NULL it reads requests and never
 * says a word.
 */
#ifndef PYPERF_TESTS_HTTP_SERVER_H
#define PYPERF_TESTS_HTTP_SERVER_H

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/forge/test.h"

#define SERVER_REQUEST_MAX 65536 /* bytes that are kept of one; it may be longer */
#define SERVER_CLIENTS	   16

/* Shared with the child. */
struct server_seen {
	int requests;			  /* complete ones */
	size_t size;			  /* of the latest, header and body */
	char request[SERVER_REQUEST_MAX]; /* its beginning, NUL-terminated */
};

static struct {
	pid_t pid;
	unsigned short port;
	struct server_seen *seen;
} server;

/* For AROUND_ALL(): nobody's proxy is between a client and it, and a test that hangs ends. */
static inline int server_begin(void **state)
{
	(void)state;
	signal(SIGPIPE, SIG_IGN);
	alarm(120);
	unsetenv("http_proxy");
	unsetenv("all_proxy");
	unsetenv("ALL_PROXY");
	return 0;
}

/* A socket bound to a port of 127.0.0.1 that nobody else has. Nobody listens at it yet. */
static inline int server_bind(unsigned short *ret_port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &size), 0);
	*ret_port = ntohs(a.sin_port);
	return fd;
}

struct server_client {
	size_t size; /* that it has sent */
	char request[SERVER_REQUEST_MAX];
};

/* Whether all of a request is there: its header, and as much of a body as that says. */
static inline bool server_is_complete(const struct server_client *c)
{
	const char *end = strstr(c->request, "\r\n\r\n"),
		   *length = strcasestr(c->request, "\r\nContent-Length:");

	return end && c->size >= end + 4 - c->request +
					 (length && length < end ? strtoul(length + 17, NULL, 10) : 0);
}

/* What is sent, into what is kept of it. False at its end. */
static inline bool server_receive(int fd, struct server_client *c)
{
	char more[65536];
	ssize_t n = read(fd, more, sizeof(more));
	size_t room = c->size < SERVER_REQUEST_MAX - 1 ? SERVER_REQUEST_MAX - 1 - c->size : 0;

	if (n <= 0)
		return false;
	room = room < (size_t)n ? room : (size_t)n;
	memcpy(c->request + c->size, more, room);
	if (room)
		c->request[c->size + room] = '\0';
	c->size += n;
	return true;
}

/* Sends the answer and closes: every answer ends with its connection. False once this client is done with. */
static inline bool server_read(int fd, struct server_client *c, const char *answer)
{
	ssize_t n = 1;

	if (!server_receive(fd, c))
		return false;
	if (!server_is_complete(c))
		return true;
	memcpy(server.seen->request, c->request, SERVER_REQUEST_MAX);
	server.seen->size = c->size;
	__atomic_add_fetch(&server.seen->requests, 1, __ATOMIC_RELEASE);
	if (!answer)
		return true;
	for (size_t done = 0, length = strlen(answer); done < length && n > 0; done += n)
		n = write(fd, answer + done, length - done);
	shutdown(fd, SHUT_WR);
	return false;
}

static inline void server_serve(int listener, const char *answer)
{
	static struct server_client clients[SERVER_CLIENTS];
	struct pollfd fds[1 + SERVER_CLIENTS];

	for (int i = 0; i <= SERVER_CLIENTS; i++)
		fds[i] = (struct pollfd){ .fd = i ? -1 : listener, .events = POLLIN };
	while (poll(fds, 1 + SERVER_CLIENTS, -1) >= 0) {
		for (int i = 1; i <= SERVER_CLIENTS; i++) {
			if (fds[i].fd < 0 && fds[0].revents) {
				fds[i].fd = accept(listener, NULL, NULL);
				fds[0].revents = fds[i].revents = 0;
				clients[i - 1].size = 0;
			}
			if (fds[i].fd >= 0 && fds[i].revents &&
			    !server_read(fds[i].fd, &clients[i - 1], answer)) {
				close(fds[i].fd);
				fds[i].fd = -1;
			}
		}
	}
}

static inline void server_start(const char *answer)
{
	int listener = server_bind(&server.port);

	server.seen =
		mmap(NULL, sizeof(*server.seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(server.seen, MAP_FAILED);
	assert_int_equal(listen(listener, SERVER_CLIENTS), 0);
	server.pid = fork();
	assert_true(server.pid >= 0);
	if (!server.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGPIPE, SIG_IGN);
		server_serve(listener, answer);
		_exit(1);
	}
	close(listener);
}

/* Without one it does nothing. */
static inline void server_stop(void)
{
	if (server.pid > 0) {
		kill(server.pid, SIGKILL);
		waitpid(server.pid, NULL, 0);
	}
	if (server.seen)
		munmap(server.seen, sizeof(*server.seen));
	server.pid = 0;
	server.seen = NULL;
}

/* Complete requests so far. */
static inline int server_requests(void)
{
	return __atomic_load_n(&server.seen->requests, __ATOMIC_ACQUIRE);
}

#endif
