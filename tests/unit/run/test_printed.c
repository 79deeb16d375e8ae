// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_printed.c - what could not be printed on stdout is said on stderr, in words. stdout is another file in
 * a child.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "run/printed.h"
#include "tests/forge/logged.h"
#include "tests/forge/test.h"
#include "tests/unit/guard/in_child.h"

#define LONG (1 << 20)

static const struct buf hello = { .data = (char *)"hello\n", .size = 6 };
static const char *path; /* NULL: closed */

static bool become_stdout(void)
{
	int fd = path ? open(path, O_WRONLY) : -1;

	return fd >= 0 ? dup2(fd, STDOUT_FILENO) >= 0 : !path && !close(STDOUT_FILENO);
}

static int both(const char *expected, int error)
{
	int err = 0, flushed = 0;
	const char *said;

	if (!become_stdout())
		return 1;
	said = LOGGED(err = printed(0, &hello));
	if (err != error || strcmp(said, expected))
		return 2;
	for (int i = 0; i < LONG; i++) /* more than a buffer of stdio's */
		putchar('x');
	said = LOGGED(flushed = printed_flush(stdout));
	_exit(flushed == error && !strcmp(said, expected) ? 0 : 3);
}

static int full(void)
{
	return both("pyperf-bpf: error: stdout: No space left on device\n", -ENOSPC);
}

static int without(void)
{
	return both("pyperf-bpf: error: stdout is closed\n", -EBADF);
}

static int taken(void)
{
	return both("", 0);
}

/* "| head": who reads has seen enough. */
static int nobody_reads(void)
{
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	if (pipe(ends) || dup2(ends[1], STDOUT_FILENO) < 0 || close(ends[0]))
		return 1;
	putchar('x');
	return printed_flush(stdout);
}

TEST(what_cannot_be_printed)
{
	fflush(stdout);
	path = "/dev/full";
	assert_int_equal(exit_code(full), 0);
	path = NULL;
	assert_int_equal(exit_code(without), 0);
	path = "/dev/null";
	assert_int_equal(exit_code(taken), 0);
	assert_int_equal(exit_code(nobody_reads), 0);
}

TEST(what_could_not_be_made)
{
	int err = 0;

	assert_string_equal(LOGGED(err = printed(-ENOMEM, &hello)),
			    "pyperf-bpf: error: stdout: Cannot allocate memory\n");
	assert_int_equal(err, -ENOMEM);
}
