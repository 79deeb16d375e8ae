// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_small_file.c - files that are read whole, or not at all.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/small_file.h"
#include "tests/forge/test.h"

static char path[] = "/tmp/test_small_file.XXXXXX";

static int setup(void **state)
{
	int fd;

	(void)state;
	strcpy(path + strlen(path) - 6, "XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

static void fill(const char *text, size_t size)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_int_equal(write(fd, text, size), size);
}

TEST(whole)
{
	_cleanup_free_ char *text = NULL, *empty = NULL;

	assert_int_equal(small_file_read(path, 10, &empty), 0);
	assert_string_equal(empty, "");
	fill("0123456789", 10);
	assert_int_equal(small_file_read(path, 10, &text), 0);
	assert_string_equal(text, "0123456789");
}

TEST(not_at_all)
{
	char *text = path; /* stays */

	fill("0123456789", 10);
	assert_int_equal(small_file_read(path, 9, &text), -EFBIG);
	fill("a\0b", 3);
	assert_int_equal(small_file_read(path, 9, &text), -EINVAL);
	assert_int_equal(small_file_read("/nonexistent", 9, &text), -ENOENT);
	assert_int_equal(small_file_read("/", 9, &text), -EISDIR);
	assert_int_equal(small_file_read("/dev/zero", 9, &text), -EFBIG);
	assert_ptr_equal(text, path);
}

/* One that nobody writes to. */
TEST(fifo)
{
	_cleanup_free_ char *text = NULL;

	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(small_file_read(path, 9, &text), 0);
	assert_string_equal(text, "");
}

AROUND_EACH(setup, teardown);
