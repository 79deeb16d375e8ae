// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_headers.c - the header file of a push: its lines in their order, comments left out, and nothing
 * accepted that would put more into a request than one header a line; and gRPC's status, which nothing but a
 * 0 makes a success.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "net/headers.h"
#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"

#define LIMIT 4096

static char path[64];
static struct curl_slist *list;

static int setup(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/pyperf-headers.XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	(void)state;
	curl_slist_free_all(list);
	list = NULL;
	return unlink(path);
}

static void put(const void *text, size_t size)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_int_equal(write(fd, text, size), size);
}

static int read_text(const char *text)
{
	put(text, strlen(text));
	return headers_read(path, LIMIT, &list);
}

/* The headers, each with a newline. */
static const char *shown(void)
{
	static char text[2 * LIMIT];

	*text = '\0';
	for (struct curl_slist *l = list; l; l = l->next)
		strcat(strcat(text, l->data), "\n");
	return text;
}

TEST(appends_them_in_order)
{
	list = curl_slist_append(NULL, "Content-Type: x");
	assert_int_equal(read_text("# who we are\n"
				   "Authorization: Bearer abc\n"
				   "\n"
				   "X-Scope-OrgID:\tt 1\n"),
			 0);
	assert_string_equal(shown(), "Content-Type: x\nAuthorization: Bearer abc\nX-Scope-OrgID:\tt 1\n");
}

TEST(ends_of_lines)
{
	assert_int_equal(read_text("A: 1\r\n\r\nB: 2"), 0);
	assert_string_equal(shown(), "A: 1\nB: 2\n");
}

TEST(nothing_in_it)
{
	assert_int_equal(read_text(""), 0);
	assert_int_equal(read_text("\n\n# A: 1\n"), 0);
	assert_null(list);
}

TEST(values_may_be_anything_visible)
{
	assert_int_equal(read_text("A:\nB:  b: c # d \xc3\xa9\n!#$%&'*+-.^_`|~09AZaz: x\n"), 0);
	assert_string_equal(shown(), "A:\nB:  b: c # d \xc3\xa9\n!#$%&'*+-.^_`|~09AZaz: x\n");
}

TEST(lines_that_are_no_header)
{
	static const char *const bad[] = {
		"A", ": 1", "A : 1", " A: 1", "A B: 1", "Bearer abc", "A: 1\rB: 2", "A: 1\x1b[0m", "A: 1\x7f",
		"\xc3\xa9: 1",
		"A(: 1", "\t# A", "\"A\": 1",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char text[64];

		assert_int_equal(read_text(bad[i]), -EINVAL);
		snprintf(text, sizeof(text), "%s\nB: 2\n", bad[i]);
		assert_int_equal(read_text(text), -EINVAL);
	}
	assert_null(list); /* none of them, nor what stood behind */
	put("A: 1\0\nB: 2\n", 11);
	assert_int_equal(headers_read(path, LIMIT, &list), -EINVAL);
	assert_null(list);
}

TEST(headers_of_any_length)
{
	static char value[20000];

	memset(value, 'v', sizeof(value) - 1);
	assert_int_equal(headers_add(&list, "A: %d", 1), 0);
	assert_int_equal(headers_add(&list, "B: %s", value), 0);
	assert_string_equal(list->data, "A: 1");
	assert_string_equal(list->next->data + 3, value);
}

TEST(statuses_of_grpc)
{
	static const struct {
		const char *line;
		int status;
	} lines[] = {
		{ "grpc-status: 0", GRPC_OK }, { "GRPC-Status:0\r\n", GRPC_OK }, { "grpc-status:  5 \n", 5 },
		{ "grpc-status: 16\r", 16 }, { "grpc-status: 07", 7 }, { "grpc-status: 98", 98 },
		{ "grpc-status:", GRPC_NO_STATUS }, { "grpc-status: \r\n", GRPC_NO_STATUS },
		{ "grpc-status: ok", GRPC_NO_STATUS }, { "grpc-status: -1", GRPC_NO_STATUS },
		{ "grpc-status: +0", GRPC_NO_STATUS }, { "grpc-status: 0x0", GRPC_NO_STATUS },
		{ "grpc-status: 0 0", GRPC_NO_STATUS }, { "grpc-status: 0.0", GRPC_NO_STATUS },
		{ "grpc-status: 000", GRPC_NO_STATUS }, { "grpc-status: 100", GRPC_NO_STATUS },
		{ "grpc-status: 4294967296", GRPC_NO_STATUS },
		{ "grpc-status: 18446744073709551616", GRPC_NO_STATUS },
	};
	int status = -1;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		assert_true(headers_grpc_status(lines[i].line, strlen(lines[i].line), &status));
		assert_int_equal(status, lines[i].status);
	}
	assert_true(headers_grpc_status("grpc-status: 12", strlen("grpc-status: 1"), &status));
	assert_int_equal(status, 1); /* what stands behind is not the line's */
}

TEST(lines_that_are_no_status)
{
	static const char *const lines[] = { "", "grpc-status", "grpc-message: 0", " grpc-status: 0" };
	int status = -1;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_false(headers_grpc_status(lines[i], strlen(lines[i]), &status));
	assert_false(headers_grpc_status("grpc-status: 0", strlen("grpc-status"), &status));
	assert_int_equal(status, -1);
}

TEST(files_that_cannot_be_read)
{
	char folder[] = "/tmp";
	char text[LIMIT + 2];

	assert_int_equal(headers_read("/nonexistent/headers", LIMIT, &list), -ENOENT);
	assert_int_equal(headers_read(folder, LIMIT, &list), -EISDIR);
	memset(text, 'a', sizeof(text));
	memcpy(text, "A:", 2);
	put(text, LIMIT + 1);
	assert_int_equal(headers_read(path, LIMIT, &list), -EFBIG);
	assert_null(list);
	put(text, LIMIT);
	assert_int_equal(headers_read(path, LIMIT, &list), 0);
	assert_int_equal(strlen(list->data), LIMIT);
	/* A FIFO without a writer must not stop the profiler. */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(headers_read(path, LIMIT, &list), 0);
}

/* What is in the list then is still whole, and the caller's to free. */
TEST(memory_runs_short)
{
	int failures = 0, err;

	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	put("A: 1\nB: 2\n", 10);
	for (int n = 0;; n++) {
		allocations_left = n;
		err = headers_read(path, LIMIT, &list);
		allocations_left = -1;
		if (!err)
			break;
		assert_int_equal(err, -ENOMEM);
		assert_true(!list || !strcmp(shown(), "A: 1\n"));
		curl_slist_free_all(list);
		list = NULL;
		failures++;
	}
	assert_true(failures >= 3); /* the text, and something for each line */
	assert_string_equal(shown(), "A: 1\nB: 2\n");
}

AROUND_EACH(setup, teardown);
