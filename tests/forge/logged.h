/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * logged.h - what a piece of code writes to stderr, as a string. Include it in one file of a test only.
 */
#ifndef PYPERF_TESTS_LOGGED_H
#define PYPERF_TESTS_LOGGED_H

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/forge/test.h"

static int saved_stderr;
static char logged_text[8192];

/* From here on stderr goes into a pipe, or to a terminal. */
static inline void logged_begin(int fd)
{
	fflush(stderr);
	saved_stderr = dup(STDERR_FILENO);
	assert_true(saved_stderr >= 0);
	assert_true(dup2(fd, STDERR_FILENO) >= 0);
	close(fd);
}

static inline const char *logged_end(int from)
{
	ssize_t n;

	fflush(stderr);
	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	fcntl(from, F_SETFL, O_NONBLOCK);
	n = read(from, logged_text, sizeof(logged_text) - 1);
	close(from);
	logged_text[n > 0 ? n : 0] = '\0';
	return logged_text;
}

#define LOGGED(call)                                                                                         \
	({                                                                                                   \
		int fds_[2];                                                                                 \
		assert_int_equal(pipe(fds_), 0);                                                             \
		logged_begin(fds_[1]);                                                                       \
		call;                                                                                        \
		logged_end(fds_[0]);                                                                         \
	})

#endif
