// SPDX-License-Identifier: GPL-2.0-only
#include "proc/socket_name.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/small_file.h"

#define TABLE_MAX  (1 << 20)
#define ADDRESS_6  32 /* hexadecimal digits of an IPv6 address */
#define ADDRESS_4  8

/* An address as the kernel prints it: words of 32 bits, each in the machine's order, and the port. */
static int parse_address(const char *digits, unsigned int port, char *ret, size_t size)
{
	const size_t length = strlen(digits);
	char text[INET6_ADDRSTRLEN];
	__u32 words[4] = { 0 };

	if (length != ADDRESS_4 && length != ADDRESS_6)
		return -EBADMSG;
	for (size_t i = 0; i < length / ADDRESS_4; i++)
		if (sscanf(digits + i * ADDRESS_4, "%8x", &words[i]) != 1)
			return -EBADMSG;
	if (!inet_ntop(length == ADDRESS_4 ? AF_INET : AF_INET6, words, text, sizeof(text)))
		return -EBADMSG;
	snprintf(ret, size, length == ADDRESS_4 ? "%s:%u" : "[%s]:%u", text, port);
	return 0;
}

static int parse_inet(const char *kind, const char *line, __u64 inode, char *ret, size_t size)
{
	char local[ADDRESS_6 + 1], remote[ADDRESS_6 + 1], text[INET6_ADDRSTRLEN + 16];
	unsigned int local_port, remote_port;
	unsigned long long found;

	if (sscanf(line, " %*d: %32[0-9A-F]:%x %32[0-9A-F]:%x %*x %*x:%*x %*x:%*x %*x %*d %*d %llu", local,
		   &local_port, remote, &remote_port, &found) != 5 ||
	    found != inode ||
	    parse_address(remote_port ? remote : local, remote_port ? remote_port : local_port, text,
			  sizeof(text)))
		return -ENOENT;
	snprintf(ret, size, "%.3s %s %s", kind, remote_port ? "to" : "at", text);
	return 0;
}

static int parse_unix(const char *line, __u64 inode, char *ret, size_t size)
{
	unsigned long long found;
	int path = 0;

	if (sscanf(line, "%*x: %*x %*x %*x %*x %*x %llu%n", &found, &path) != 1 || found != inode)
		return -ENOENT;
	snprintf(ret, size, "unix%s", line + path);
	return 0;
}

int socket_name_parse(const char *kind, const char *line, __u64 inode, char *ret, size_t size)
{
	return strcmp(kind, "unix") ? parse_inet(kind, line, inode, ret, size) :
				      parse_unix(line, inode, ret, size);
}

static int search(pid_t pid, const char *kind, __u64 inode, char *ret, size_t size)
{
	_cleanup_free_ char *text = NULL;
	char path[64], *rest, *line;

	snprintf(path, sizeof(path), "/proc/%d/net/%s", pid, kind);
	if (small_file_read(path, TABLE_MAX, &text))
		return -ENOENT;
	rest = text;
	while ((line = strsep(&rest, "\n")))
		if (!socket_name_parse(kind, line, inode, ret, size))
			return 0;
	return -ENOENT;
}

int socket_name(pid_t pid, __u64 inode, char *ret, size_t size)
{
	static const char *const kinds[] = { "tcp", "udp", "tcp6", "udp6", "unix" };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!search(pid, kinds[i], inode, ret, size))
			return 0;
	return -ENOENT;
}
