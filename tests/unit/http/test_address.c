// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_address.c - ADDR:PORT as people write it, what is refused, and the sockets for it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "http/address.h"
#include "tests/forge/test.h"

TEST(good)
{
	static const struct {
		const char *given, *meant;
		bool local;
	} rows[] = {
		{ "7070", "127.0.0.1:7070", true },
		{ ":7070", "127.0.0.1:7070", true },
		{ "localhost:1", "127.0.0.1:1", true },
		{ "127.0.0.1:65535", "127.0.0.1:65535", true },
		{ "127.9.9.9:80", "127.9.9.9:80", true },
		{ "0.0.0.0:80", "0.0.0.0:80", false },
		{ "*:80", "0.0.0.0:80", false },
		{ "10.1.2.3:00080", "10.1.2.3:80", false },
		{ "[::1]:80", "[::1]:80", true },
		{ "[::]:80", "[::]:80", false },
		{ "[2001:db8::1]:80", "[2001:db8::1]:80", false },
		{ "unix:/run/x.sock", "unix:/run/x.sock", false },
		{ "unix:/a:b", "unix:/a:b", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct http_address a;
		char text[HTTP_ADDRESS_TEXT];

		if (http_address_parse(rows[i].given, &a))
			fail_msg("'%s' was refused", rows[i].given);
		assert_string_equal(http_address_text(&a, text), rows[i].meant);
		assert_int_equal(http_address_is_local(&a), rows[i].local);
	}
}

TEST(bad)
{
	static const char *const texts[] = {
		"", ":", "0", ":0", "65536", "99999999999999999999", "-1", "+1", " 1", "1 ", "0x50", "80a",
		"http", "example.com:80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:80:90", "127.1:80",
		"256.0.0.1:80", "::1:80", "[::1]", "[::1]80", "[::1:80", "::1]:80", "[]:80",
		"[127.0.0.1]:80", "[::1%lo]:80", "[:80", "/tmp/x", "unix:", "unix:x", "unix:x:80", "UNIX:/x",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct http_address a = { .size = 77 };

		if (http_address_parse(texts[i], &a) != -EINVAL)
			fail_msg("'%s' was accepted", texts[i]);
		assert_int_equal(a.size, 77); /* untouched */
	}
}

static in_port_t port_of(int fd)
{
	struct sockaddr_in a = {};
	socklen_t size = sizeof(a);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &size), 0);
	return ntohs(a.sin_port);
}

TEST(sockets)
{
	struct http_address a;
	char text[32];
	int fd, reserved = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	assert_int_equal(bind(reserved, (struct sockaddr *)&any, sizeof(any)), 0); /* a port that is free */
	snprintf(text, sizeof(text), "%u", port_of(reserved));
	assert_int_equal(listen(reserved, 1), 0);
	assert_int_equal(http_address_parse(text, &a), 0);
	assert_int_equal(http_address_listen(&a), -EADDRINUSE);
	close(reserved);
	fd = http_address_listen(&a);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	close(fd);
	assert_int_equal(http_address_parse("192.0.2.1:80", &a), 0); /* for documentation: nobody has it */
	assert_int_equal(http_address_listen(&a), -EADDRNOTAVAIL);
}

static struct http_address unix_address(const char *path)
{
	struct http_address a;
	char text[256];

	snprintf(text, sizeof(text), "unix:%s", path);
	assert_int_equal(http_address_parse(text, &a), 0);
	return a;
}

/* Nobody but owner and group may connect, whatever the umask. */
static void check_mode(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	assert_int_equal(st.st_mode & 0777, 0660);
}

TEST(unix_sockets)
{
	static const mode_t masks[] = { 0, 022, 077 };
	char folder[] = "/tmp/pyperf-address.XXXXXX", path[64], other[64];
	struct http_address a;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/socket", folder);
	snprintf(other, sizeof(other), "%s/other", folder);
	a = unix_address(path);
	for (size_t i = 0; i < ARRAY_SIZE(masks); i++) {
		mode_t before = umask(masks[i]);
		int fd = http_address_listen(&a); /* the second replaces what the first left */

		assert_true(fd >= 0);
		assert_int_equal(umask(before), masks[i]);
		check_mode(path);
		assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
		assert_int_equal(http_address_listen(&a), -EADDRINUSE);
		http_address_remove(&a);
		check_mode(path); /* somebody listens there */
		close(fd);
	}
	http_address_remove(&a);
	assert_int_equal(access(path, F_OK), -1);
	http_address_remove(&a);
	/* What is no socket is nobody's leftover. */
	close(open(other, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	a = unix_address(other);
	assert_int_equal(http_address_listen(&a), -EADDRINUSE);
	assert_int_equal(symlink(other, path), 0);
	a = unix_address(path);
	assert_int_equal(http_address_listen(&a), -EADDRINUSE);
	http_address_remove(&a);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(unlink(other), 0);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(http_address_listen(&a), -ENOENT);
}

static int checked(const char *path)
{
	const struct http_address a = unix_address(path);

	return http_address_check_folder(&a);
}

TEST(folders_of_sockets)
{
	char folder[] = "/tmp/pyperf-address.XXXXXX", path[64];
	struct http_address network;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/socket", folder);
	assert_int_equal(checked(path), 0); /* it need not be there */
	assert_int_equal(chmod(folder, 0555), 0);
	if (!geteuid())
		assert_int_equal(setegid(12345) | seteuid(12345), 0);
	assert_int_equal(checked(path), -EACCES);
	assert_int_equal(checked("/socket"), -EACCES);
	assert_int_equal(checked("/proc/socket"), -EACCES);
	if (!getuid())
		assert_int_equal(seteuid(0) | setegid(0), 0);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(checked(path), -ENOENT);
	assert_int_equal(http_address_parse("127.0.0.1:7070", &network), 0);
	assert_int_equal(http_address_check_folder(&network), 0);
	network = (struct http_address){ 0 };
	assert_int_equal(http_address_check_folder(&network), 0);
}

TEST(longest_path)
{
	const size_t longest = sizeof(((struct sockaddr_un *)0)->sun_path) - 1;
	char text[256] = "unix:/", shown[HTTP_ADDRESS_TEXT];
	struct http_address a;

	memset(text + 6, 'x', longest);
	assert_int_equal(http_address_parse(text, &a), -EINVAL);
	text[5 + longest] = '\0';
	assert_int_equal(http_address_parse(text, &a), 0);
	assert_string_equal(http_address_text(&a, shown), text);
}
