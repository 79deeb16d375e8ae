// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_socket_name.c - lines of the kernel's tables, and sockets of this process.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "proc/socket_name.h"
#include "tests/forge/test.h"

#define QUEUES "00000000:00000000 00:00000000 00000000  1000        0 "
#define TCP    "   0: 0100007F:1538 0200000A:01BB 01 " QUEUES "4711 1 x"
#define TCP6                                                                                                 \
	"   1: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A " QUEUES "99 1"
#define UNIX_NAMED   "00000000abc: 00000002 00000000 00010000 0001 01 12 /run/x y"
#define UNIX_UNNAMED "00000000abc: 00000002 00000000 00000000 0002 01 13"

TEST(lines_of_the_tables)
{
	char name[64] = "as it was";

	assert_int_equal(socket_name_parse("tcp", TCP, 4711, name, sizeof(name)), 0);
	assert_string_equal(name, "tcp to 10.0.0.2:443");
	assert_int_equal(socket_name_parse("tcp6", TCP6, 99, name, sizeof(name)), 0);
	assert_string_equal(name, "tcp at [::1]:8080");
	assert_int_equal(socket_name_parse("unix", UNIX_NAMED, 12, name, sizeof(name)), 0);
	assert_string_equal(name, "unix /run/x y");
	assert_int_equal(socket_name_parse("unix", UNIX_UNNAMED, 13, name, sizeof(name)), 0);
	assert_string_equal(name, "unix");
}

TEST(another_socket_and_what_is_no_line)
{
	static const char *const lines[] = {
		TCP,
		"",
		"  sl  local_address rem_address   st",
		"   0: 0100007F:1538 0200000A:01BB 01",
		"   0: 0100007F:1538 0200:01BB 01 " QUEUES "12 1 x",
	};
	char name[64] = "as it was";

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(socket_name_parse("tcp", lines[i], 12, name, sizeof(name)), -ENOENT);
		assert_int_equal(socket_name_parse("unix", lines[i], 12, name, sizeof(name)), -ENOENT);
	}
	assert_string_equal(name, "as it was");
}

static __u64 inode_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st.st_ino;
}

TEST(sockets_of_this_process)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int udp = socket(AF_INET, SOCK_DGRAM, 0), local = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un path = { .sun_family = AF_UNIX, .sun_path = "\0pyperf-test-socket-name" };
	socklen_t size = sizeof(at);
	char name[64], wanted[64];

	assert_int_equal(bind(udp, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(getsockname(udp, (struct sockaddr *)&at, &size), 0);
	assert_int_equal(socket_name(getpid(), inode_of(udp), name, sizeof(name)), 0);
	snprintf(wanted, sizeof(wanted), "udp at 127.0.0.1:%d", ntohs(at.sin_port));
	assert_string_equal(name, wanted);
	assert_int_equal(bind(local, (struct sockaddr *)&path, sizeof(sa_family_t) + 24), 0);
	assert_int_equal(socket_name(getpid(), inode_of(local), name, sizeof(name)), 0);
	assert_string_equal(name, "unix @pyperf-test-socket-name");
	assert_int_equal(socket_name(getpid(), 0xffffffffffULL, name, sizeof(name)), -ENOENT);
	close(udp);
	close(local);
}
