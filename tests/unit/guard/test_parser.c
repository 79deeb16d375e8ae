// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_parser.c - the worker's side of the parser: answers of every size are taken whole, and a parser that
 * was taken over can say what it likes. It sits at the other end of the socket, and its answer is there
 * before it is asked.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elf/functions.h"
#include "elf/image.h"
#include "guard/message.h"
#include "guard/parser.h"
#include "tests/forge/test.h"

static const struct parser_question image = { .parse = PARSE_IMAGE },
				    functions = { .parse = PARSE_FUNCTIONS };
static int ours, theirs;
static struct buf out;

static int setup(void **state)
{
	int pair[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	ours = pair[0];
	theirs = pair[1];
	return buf_add_string(&out, "before");
}

static int teardown(void **state)
{
	(void)state;
	close(ours);
	close(theirs);
	buf_free(&out);
	return 0;
}

static void says(const void *data, size_t size)
{
	assert_int_equal(send(theirs, data, size, 0), size);
}

static void answers(__s32 error, __u32 size)
{
	const struct parser_answer a = { error, size };

	says(&a, sizeof(a));
}

static int ask(const struct parser_question *q)
{
	int err = parser_ask(ours, q, 0, &out);

	if (err) {
		assert_int_equal(out.size, 6);
		assert_memory_equal(out.data, "before", 6);
	}
	return err;
}

TEST(question_and_file_arrive)
{
	struct parser_question q = { 0 };
	char text[8] = "";
	int file = memfd_create("file", MFD_CLOEXEC), fd = -1;

	assert_int_equal(write(file, "content", 7), 7);
	answers(-ENOEXEC, 0);
	assert_int_equal(parser_ask(ours, &functions, file, &out), -ENOEXEC);
	assert_int_equal(message_receive(theirs, &q, sizeof(q), &fd, 0), 0);
	assert_int_equal(q.parse, PARSE_FUNCTIONS);
	assert_int_equal(pread(fd, text, 7, 0), 7);
	assert_string_equal(text, "content");
	close(fd);
	close(file);
}

TEST(bytes_are_appended)
{
	answers(0, 10);
	says("0123456", 7);
	says("789", 3);
	assert_int_equal(ask(&functions), 0);
	answers(0, 0);
	assert_int_equal(ask(&functions), 0);
	assert_int_equal(out.size, 16);
	assert_memory_equal(out.data, "before0123456789", 16);
}

/* As much as a file may have of functions, through a socket that holds a fraction of it. */
TEST(the_largest_answer)
{
	static char part[1 << 16];
	pid_t pid = fork();

	if (!pid) {
		answers(0, FUNCTIONS_BYTES_MAX);
		for (size_t left = FUNCTIONS_BYTES_MAX, n; left; left -= n) {
			n = left < sizeof(part) ? left : sizeof(part);
			memset(part, left >> 16, sizeof(part));
			says(part, n);
		}
		_exit(0);
	}
	assert_int_equal(ask(&functions), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(out.size, 6 + FUNCTIONS_BYTES_MAX);
	for (size_t at = 0; at < FUNCTIONS_BYTES_MAX; at += sizeof(part))
		assert_int_equal(out.data[6 + at], (char)((FUNCTIONS_BYTES_MAX - at) >> 16));
}

TEST(what_it_failed_with)
{
	answers(-EBADMSG, 0);
	assert_int_equal(ask(&image), -EBADMSG);
	answers(-EPIPE, 0); /* of a file; it is there itself */
	assert_int_equal(ask(&image), -EIO);
	assert_int_equal(ask(&(struct parser_question){ .parse = PARSES }), -EINVAL);
	assert_int_equal(ask(&(struct parser_question){ .parse = 0 }), -EINVAL);
}

TEST(nonsense)
{
	static const struct parser_answer wrong[] = {
		{ 0, sizeof(struct image) + 1 },
		{ 0, UINT32_MAX },
		{ 1, 0 },
		{ -ENOEXEC, 1 },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		says(&wrong[i], sizeof(wrong[i]));
		assert_int_equal(ask(&image), -EPIPE);
		teardown(state);
		setup(state);
	}
	says("short", 5);
	assert_int_equal(ask(&image), -EPIPE);
	says("a long one that is no answer", 28);
	assert_int_equal(ask(&image), -EPIPE);
	answers(0, 10);
	says("more than ten", 13); /* the rest is lost, and what follows is still an answer of its own */
	assert_int_equal(ask(&functions), 0);
	assert_int_equal(out.size, 16);
}

/* Before it answers, or in the middle. */
TEST(it_ends)
{
	answers(0, 10);
	says("012", 3);
	shutdown(theirs, SHUT_WR);
	assert_int_equal(ask(&functions), -EPIPE);
	assert_int_equal(ask(&functions), -EPIPE);
	close(theirs);
	theirs = -1;
	assert_int_equal(ask(&functions), -EPIPE);
}

AROUND_EACH(setup, teardown);
ENDS_IN(120);
