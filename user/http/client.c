// SPDX-License-Identifier: GPL-2.0-only
/*
 * client.c - HTTP/1.0, so that the end of the connection is the end of the answer, and nothing comes in
 * chunks. A Content-Length says whether all of it came.
 */
#include "http/client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "http/answer.h"

#define CHUNK 65536

static int wait_for(int fd, short events, double until)
{
	struct pollfd p = { .fd = fd, .events = events };
	double left;
	int n;

	do {
		left = until - clock_seconds();
		n = left > 0 ? poll(&p, 1, left < 1000 ? (int)(left * 1000) + 1 : 1000000) : 0;
	} while (n < 0 && errno == EINTR);
	return n > 0 ? 0 : n < 0 ? -errno : -ETIMEDOUT;
}

static int open_connection(const struct http_address *a, double until, int *ret)
{
	_cleanup_close_ int fd = socket(a->socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	socklen_t size = sizeof(int);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)&a->socket, a->size)) {
		if (errno != EINPROGRESS)
			return -errno;
		err = wait_for(fd, POLLOUT, until);
		if (err)
			return err;
		if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size) || err)
			return err ? -err : -errno;
	}
	*ret = TAKE_FD(fd);
	return 0;
}

static int send_all(int fd, const struct buf *b, double until)
{
	size_t sent = 0;

	while (sent < b->size) {
		const ssize_t n = send(fd, b->data + sent, b->size - sent, MSG_NOSIGNAL);
		int err = n > 0 ? 0 : errno == EAGAIN ? wait_for(fd, POLLOUT, until) : -errno;

		if (err)
			return err;
		sent += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Until the other side closes. */
static int receive_all(int fd, double until, struct buf *b)
{
	for (;;) {
		ssize_t n;
		int err = buf_reserve(b, CHUNK);

		if (err)
			return b->size + CHUNK > b->size_max ? -EFBIG : err;
		n = recv(fd, b->data + b->size, CHUNK, 0);
		if (!n)
			return 0;
		err = n > 0 ? 0 : errno == EAGAIN ? wait_for(fd, POLLIN, until) : -errno;
		if (err)
			return err;
		b->size += n > 0 ? (size_t)n : 0;
	}
}

static const char *find_body(const struct buf *b)
{
	const size_t n = b->size < CLIENT_HEAD_MAX ? b->size : CLIENT_HEAD_MAX;
	const char *end = memmem(b->data, n, "\r\n\r\n", 4);

	return end ? end + 4 : NULL;
}

/* What stands behind name, as "\nname:"; NULL: nothing. The head ends with a line feed. */
static const char *find_header(const char *head, const char *end, const char *name)
{
	const size_t n = strlen(name);

	for (const char *at = head; at + n + 1 < end; at++)
		if (!strncasecmp(at, name, n))
			return at + n;
	return NULL;
}

/* What Content-Length says; -1: nothing. */
static long long find_length(const char *head, const char *end)
{
	const char *length = find_header(head, end, "\ncontent-length:");

	return length ? atoll(length) : -1;
}

/* The first line of what the server says. */
static void find_why(const char *body, size_t n, char *why, size_t size)
{
	size_t length = 0;

	while (length < n && length < size - 1 && body[length] >= ' ' && body[length] < 127)
		length++;
	snprintf(why, size, "%.*s", (int)length, body);
}

static int take_http_answer(const struct buf *b, struct buf *body, char *why, size_t size)
{
	const char *at = b->size ? find_body(b) : NULL;
	const size_t n = at ? (size_t)(b->data + b->size - at) : 0;
	long long length;
	int status;

	if (!at || sscanf(b->data, "HTTP/1.%*[01] %3d", &status) != 1)
		return -EPROTO;
	if (status != 200) {
		find_why(at, n, why, size);
		return status == 401 ? -EACCES : -EPROTO;
	}
	length = find_length(b->data, at);
	if (length >= 0 && (size_t)length != n) {
		snprintf(why, size, "the answer ended too early");
		return -EPROTO;
	}
	return buf_add(body, at, n);
}

static int write_request(const char *path, const char *host, const char *token, struct buf *b)
{
	int err = buf_printf(b, "GET %s HTTP/1.0\r\nHost: %s\r\n", path, host);

	if (!err && token)
		err = buf_printf(b, "Authorization: Bearer %s\r\n", token);
	return err ?: buf_add_string(b, "\r\n");
}

/* The whole answer, with a NUL behind it. */
static int exchange(const struct http_address *a, const char *path, const char *token, double seconds,
		    struct buf *answer)
{
	_cleanup_buf_ struct buf request = { 0 };
	const double until = clock_seconds() + seconds;
	_cleanup_close_ int fd = -1;
	char host[HTTP_ADDRESS_TEXT];
	int err = write_request(path, http_address_is_unix(a) ? "localhost" : http_address_text(a, host),
				token, &request);

	err = err ?: open_connection(a, until, &fd) ?: send_all(fd, &request, until) ?:
	      receive_all(fd, until, answer) ?: buf_add(answer, "", 1);
	answer->size -= !err;
	return err;
}

int client_get(const struct http_address *a, const char *path, const char *token, double seconds,
	       struct buf *body, char *why, size_t size)
{
	_cleanup_buf_ struct buf answer = { .size_max = BUF_MAX };
	int err;

	*why = '\0';
	if (body->size_max && body->size_max < BUF_MAX - CLIENT_HEAD_MAX - CHUNK)
		answer.size_max = body->size_max + CLIENT_HEAD_MAX + CHUNK;
	err = exchange(a, path, token, seconds, &answer);
	return err ?: take_http_answer(&answer, body, why, size);
}

bool client_is_profiler(const struct http_address *a, double seconds)
{
	static const char ours[] = ANSWER_SERVER "\r\n";
	_cleanup_buf_ struct buf answer = { .size_max = CLIENT_HEAD_MAX + CHUNK }, body = { 0 };
	const char *server;
	char why[2];

	if (exchange(a, "/healthz", NULL, seconds, &answer) ||
	    take_http_answer(&answer, &body, why, sizeof(why)))
		return false;
	server = find_header(answer.data, find_body(&answer), "\nserver:");
	return server && !strncmp(server + strspn(server, " "), ours, strlen(ours));
}
