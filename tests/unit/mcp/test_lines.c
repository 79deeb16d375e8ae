// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lines.c - lines of a pipe: in pieces, many at once, too long, with bytes of 0.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "mcp/lines.h"
#include "tests/forge/test.h"

static struct lines lines;
static int end = -1;

static int setup(void **state)
{
	int fds[2];

	(void)state;
	if (pipe(fds))
		return -1;
	lines = (struct lines){ .fd = fds[0] };
	end = fds[1];
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	close(lines.fd);
	if (end >= 0)
		close(end);
	lines_free(&lines);
	return 0;
}

static void send_bytes(const char *data, size_t size)
{
	assert_int_equal(write(end, data, size), size);
	assert_int_equal(lines_read(&lines), 0);
}

static void expect(const char *wanted, int error)
{
	size_t size = 0;
	int got = 1;
	const char *line = lines_next(&lines, &size, &got);

	assert_int_equal(got, error);
	if (!wanted) {
		assert_null(line);
		return;
	}
	assert_string_equal(line, wanted);
	assert_int_equal(size, strlen(wanted));
}

TEST(in_pieces_and_many_at_once)
{
	send_bytes("on", 2);
	expect(NULL, 0);
	send_bytes("e\n\ntwo\nthr", 10);
	expect("one", 0);
	expect("", 0);
	expect("two", 0);
	expect(NULL, 0);
	send_bytes("ee\n", 3);
	expect("three", 0);
	expect(NULL, 0);
}

TEST(a_byte_of_0_is_in_its_size)
{
	size_t size = 0;
	int error;

	send_bytes("a\0b\n", 4);
	assert_non_null(lines_next(&lines, &size, &error));
	assert_int_equal(size, 3);
}

/* It is said once, however long it goes on, and the line behind it is whole. */
TEST(one_that_is_too_long)
{
	char piece[4096];
	int said = 0;

	memset(piece, 'x', sizeof(piece));
	for (size_t sent = 0; sent < 3 * LINE_MAX_BYTES; sent += sizeof(piece)) {
		size_t size;
		int error;

		send_bytes(piece, sizeof(piece));
		assert_null(lines_next(&lines, &size, &error));
		said += error == -EMSGSIZE;
		assert_true(lines.buf.size <= LINE_MAX_BYTES + sizeof(piece));
	}
	assert_int_equal(said, 1);
	send_bytes("end\nnext\n", 9);
	expect("next", 0);
	expect(NULL, 0);
}

TEST(nothing_yet_is_no_end)
{
	assert_int_equal(fcntl(lines.fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(lines_read(&lines), 0);
	send_bytes("line\n", 5);
	expect("line", 0);
}

static void on_alarm(int number)
{
	(void)number;
}

/* The signal comes again and again, so that one of them comes while nothing is there to be read. */
TEST(a_signal_is_no_error)
{
	const struct sigaction action = { .sa_handler = on_alarm };
	const struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, never = { 0 };
	struct sigaction before;

	assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
	assert_int_equal(lines_read(&lines), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
	assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
	expect(NULL, 0);
}

TEST(a_pipe_that_cannot_be_read)
{
	const int read_end = lines.fd;

	lines.fd = end; /* which is for writing */
	assert_int_equal(lines_read(&lines), -EBADF);
	lines.fd = read_end;
}

TEST(the_end_of_the_pipe)
{
	send_bytes("no end of line", 14);
	close(end);
	end = -1;
	assert_int_equal(lines_read(&lines), -EPIPE);
	expect(NULL, 0);
}

AROUND_EACH(setup, teardown);
