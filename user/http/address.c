// SPDX-License-Identifier: GPL-2.0-only
#include "http/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"

#define BACKLOG 512 /* a probe does not wait behind a crowd that came at once */
#define UNIX_PREFIX "unix:"

static int parse_port(const char *text, in_port_t *ret)
{
	unsigned long port = 0;

	for (const char *s = text; *s; s++) {
		if (*s < '0' || *s > '9')
			return -EINVAL;
		port = port * 10 + (*s - '0');
		if (port > 65535)
			return -EINVAL;
	}
	if (!port)
		return -EINVAL;
	*ret = htons(port);
	return 0;
}

static int parse_host(const char *host, in_port_t port, struct http_address *ret)
{
	struct http_address a = {};
	struct sockaddr_in6 *six = (void *)&a.socket;
	struct sockaddr_in *four = (void *)&a.socket;

	if (!*host || !strcmp(host, "localhost"))
		host = "127.0.0.1";
	if (!strcmp(host, "*"))
		host = "0.0.0.0";
	if (*host == '[') {
		_cleanup_free_ char *inner = strdup(host + 1);
		size_t n = inner ? strlen(inner) : 0;

		if (!n || inner[n - 1] != ']')
			return -EINVAL;
		inner[n - 1] = '\0';
		if (inet_pton(AF_INET6, inner, &six->sin6_addr) != 1)
			return -EINVAL;
		six->sin6_family = AF_INET6;
		six->sin6_port = port;
		a.size = sizeof(*six);
	} else {
		if (inet_pton(AF_INET, host, &four->sin_addr) != 1)
			return -EINVAL;
		four->sin_family = AF_INET;
		four->sin_port = port;
		a.size = sizeof(*four);
	}
	*ret = a;
	return 0;
}

static int parse_path(const char *path, struct http_address *ret)
{
	struct http_address a = {};
	struct sockaddr_un *un = (void *)&a.socket;
	size_t n = strlen(path);

	if (*path != '/' || n >= sizeof(un->sun_path))
		return -EINVAL;
	un->sun_family = AF_UNIX;
	memcpy(un->sun_path, path, n + 1);
	a.size = offsetof(struct sockaddr_un, sun_path) + n + 1;
	*ret = a;
	return 0;
}

int http_address_parse(const char *text, struct http_address *ret)
{
	const char *colon = strrchr(text, ':');
	_cleanup_free_ char *host = strndup(text, colon ? colon - text : 0);
	in_port_t port;

	if (!strncmp(text, UNIX_PREFIX, strlen(UNIX_PREFIX)))
		return parse_path(text + strlen(UNIX_PREFIX), ret);
	if (!host)
		return -ENOMEM;
	return parse_port(colon ? colon + 1 : text, &port) ?: parse_host(host, port, ret);
}

bool http_address_is_unix(const struct http_address *a)
{
	return a->socket.ss_family == AF_UNIX;
}

static const char *path_of(const struct http_address *a)
{
	return ((const struct sockaddr_un *)(const void *)&a->socket)->sun_path;
}

bool http_address_is_local(const struct http_address *a)
{
	const struct sockaddr_in6 *six = (const void *)&a->socket;
	const struct sockaddr_in *four = (const void *)&a->socket;

	if (http_address_is_unix(a))
		return false;
	if (a->socket.ss_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
	return ntohl(four->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

const char *http_address_text(const struct http_address *a, char text[HTTP_ADDRESS_TEXT])
{
	const struct sockaddr_in6 *six = (const void *)&a->socket;
	const struct sockaddr_in *four = (const void *)&a->socket;
	char host[INET6_ADDRSTRLEN] = "?";

	if (http_address_is_unix(a)) {
		snprintf(text, HTTP_ADDRESS_TEXT, UNIX_PREFIX "%s", path_of(a));
		return text;
	}
	if (a->socket.ss_family == AF_INET6) {
		inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof(host));
		snprintf(text, HTTP_ADDRESS_TEXT, "[%s]:%u", host, ntohs(six->sin6_port));
	} else {
		inet_ntop(AF_INET, &four->sin_addr, host, sizeof(host));
		snprintf(text, HTTP_ADDRESS_TEXT, "%s:%u", host, ntohs(four->sin_port));
	}
	return text;
}

int http_address_pin(struct http_address *a, int *ret)
{
	_cleanup_close_ int fd = -1;
	char path[64];
	struct stat st;
	int err;

	if (!http_address_is_unix(a))
		return 0;
	fd = open(path_of(a), O_PATH | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISSOCK(st.st_mode))
		return -ENOTSOCK;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = parse_path(path, a);
	if (!err)
		*ret = TAKE_FD(fd);
	return err;
}

/* --- sockets ------------------------------------------------------------------------------------------- */

static int open_socket(const struct http_address *a)
{
	int fd = socket(a->socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd < 0 ? -errno : fd;
}

/* Whether the file is a socket at which nobody listens: what a run that was killed has left behind. */
static bool is_abandoned(const struct http_address *a)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (lstat(path_of(a), &st) || !S_ISSOCK(st.st_mode))
		return false;
	fd = open_socket(a);
	return fd >= 0 && connect(fd, (const struct sockaddr *)&a->socket, a->size) && errno == ECONNREFUSED;
}

static int bind_socket(int fd, const struct http_address *a)
{
	return bind(fd, (const struct sockaddr *)&a->socket, a->size) ? -errno : 0;
}

/* The file has its mode from the start: nobody else can connect in between. */
static int bind_path(int fd, const struct http_address *a)
{
	mode_t before = umask(0777 & ~HTTP_SOCKET_MODE);
	int err = bind_socket(fd, a);

	if (err == -EADDRINUSE && is_abandoned(a) && !unlink(path_of(a)))
		err = bind_socket(fd, a);
	umask(before);
	return err;
}

int http_address_listen(const struct http_address *a)
{
	_cleanup_close_ int fd = open_socket(a);
	int one = 1, err;

	if (fd < 0)
		return fd;
	/* Connections of a run that has just ended do not hold the port. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	err = http_address_is_unix(a) ? bind_path(fd, a) : bind_socket(fd, a);
	if (err)
		return err;
	if (listen(fd, BACKLOG))
		return -errno;
	return TAKE_FD(fd);
}

int http_address_check_folder(const struct http_address *a)
{
	_cleanup_free_ char *path = http_address_is_unix(a) ? strdup(path_of(a)) : NULL;
	char *end = path ? strrchr(path, '/') : NULL;

	if (!http_address_is_unix(a))
		return 0;
	if (!end)
		return -ENOMEM;
	end[end == path] = '\0'; /* what is in / is in a folder, too */
	return faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) ? -errno : 0;
}

void http_address_remove(const struct http_address *a)
{
	if (http_address_is_unix(a) && is_abandoned(a))
		unlink(path_of(a));
}
