// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_standard_fds.c - a process that was started without stdin, stdout or stderr: nothing that it opens
 * takes their place, and what it prints is an error.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/standard_fds.h"
#include "tests/forge/test.h"
#include "tests/unit/guard/in_child.h"

static int closed; /* bits */

static int without(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (closed & 1 << fd)
			close(fd);
	if (standard_fds_open() || open("/dev/null", O_RDWR) < 3)
		return 1;
	for (int fd = 0; fd < 3; fd++) {
		const int is_closed = !!(closed & 1 << fd);
		char byte = 0;

		if (is_closed && (write(fd, &byte, 1) >= 0 || errno != EBADF || read(fd, &byte, 1) >= 0))
			return 2;
		if (is_closed && (standard_fds_can_write(fd) || !(fcntl(fd, F_GETFD) & FD_CLOEXEC)))
			return 3;
	}
	return 0;
}

TEST(those_that_are_closed)
{
	for (closed = 0; closed < 8; closed++)
		assert_int_equal(exit_code(without), 0);
}

TEST(where_something_can_be_written)
{
	int ends[2], fd = open("/dev/null", O_RDONLY);

	assert_int_equal(pipe(ends), 0);
	assert_true(standard_fds_can_write(ends[1]));
	assert_false(standard_fds_can_write(ends[0]));
	assert_false(standard_fds_can_write(fd));
	assert_false(standard_fds_can_write(-1));
	close(fd);
	close(ends[0]);
	close(ends[1]);
}
