// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_source_text.c - lines of files that may be anything: which are given, what is cut, what is refused,
 * and the bytes that a worker could send.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "proc/source_text.h"
#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"

static char folder[] = "/tmp/pyperf-source.XXXXXX", path[64], other[64];
static struct source_wanted wanted;
static struct source_text text;
static struct buf bytes;

static int setup(void **state)
{
	(void)state;
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/app.py", folder);
	snprintf(other, sizeof(other), "%s/other.py", folder);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	buf_free(&bytes);
	unlink(path);
	unlink(other);
	return rmdir(folder);
}

static void write_file(const char *name, const void *data, size_t size)
{
	_cleanup_close_ int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
}

/* What comes of a question about the file, whose answer is then in text. */
static int lines(__u32 begins, __u32 from, __u32 to)
{
	int err;

	wanted = (struct source_wanted){ .begins = begins, .from = from, .to = to };
	strcpy(wanted.path, path);
	buf_clear(&bytes);
	err = source_text_read(0, &wanted, &bytes);
	assert_true(!err || !bytes.size);
	if (!err)
		assert_int_equal(source_text_parse(bytes.data, bytes.size, &text), 0);
	return err;
}

#define FILE_IS(s) write_file(path, s, sizeof(s) - 1)

/* It comes first: what is allowed stays so. */
TEST(nothing_unless_it_is_allowed)
{
	FILE_IS("a\n");
	assert_int_equal(lines(1, 1, 1), -EPERM);
	source_text_allow();
	assert_int_equal(lines(1, 1, 1), 0);
}

TEST(which_lines)
{
	FILE_IS("one\n\ndef f():\n\treturn 1\nlast");
	assert_int_equal(lines(3, 3, 4), 0);
	assert_string_equal(text.begins, "def f():");
	assert_int_equal(text.from, 3);
	assert_int_equal(text.count, 2);
	assert_string_equal(text.lines[0], "def f():");
	assert_string_equal(text.lines[1], "\treturn 1");
	assert_int_equal(lines(1, 2, 2), 0);
	assert_string_equal(text.begins, "one");
	assert_string_equal(text.lines[0], "");
	assert_int_equal(lines(5, 4, 9), 0); /* as many as there are */
	assert_string_equal(text.begins, "last");
	assert_int_equal(text.count, 2);
	assert_string_equal(text.lines[1], "last");
	assert_int_equal(lines(1, 6, 6), -ERANGE);
	assert_int_equal(lines(6, 1, 1), -ERANGE);
	FILE_IS("");
	assert_int_equal(lines(1, 1, 1), -ERANGE);
	FILE_IS("a\r\nb\rc\n\n");
	assert_int_equal(lines(1, 1, 9), 0);
	assert_int_equal(text.count, 4);
	assert_string_equal(text.lines[0], "a");
	assert_string_equal(text.lines[1], "b");
	assert_string_equal(text.lines[2], "c");
	assert_string_equal(text.lines[3], "");
}

TEST(when_it_was_changed)
{
	const struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } },
			      late[2] = { { .tv_sec = 1LL << 33 }, { .tv_sec = 1LL << 33 } };
	const __s64 now = clock_unix_ns();

	FILE_IS("a\n");
	assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
	assert_int_equal(lines(1, 1, 1), 0);
	assert_true(text.changed_unix_ns > now - (__s64)NS_PER_SECOND); /* the file tells */
	assert_int_equal(utimensat(AT_FDCWD, path, late, 0), 0);
	assert_int_equal(lines(1, 1, 1), 0);
	assert_true(text.changed_unix_ns == (1LL << 33) * (__s64)NS_PER_SECOND);
}

TEST(long_lines_are_cut)
{
	char line[2 * SOURCE_LINE_MAX], end[16];

	memset(line, 'x', sizeof(line));
	line[SOURCE_LINE_MAX] = '\n';
	write_file(path, line, SOURCE_LINE_MAX + 1);
	assert_int_equal(lines(1, 1, 1), 0);
	assert_int_equal(strlen(text.lines[0]), SOURCE_LINE_MAX);
	memcpy(line + SOURCE_LINE_MAX - 1, "\xe2\x82\xac", 3); /* it would be cut in its middle */
	write_file(path, line, sizeof(line));
	assert_int_equal(lines(1, 1, 1), 0);
	snprintf(end, sizeof(end), "x%s", SOURCE_LINE_CUT);
	assert_int_equal(strlen(text.lines[0]), SOURCE_LINE_MAX - 1 + strlen(SOURCE_LINE_CUT));
	assert_string_equal(text.lines[0] + SOURCE_LINE_MAX - 2, end);
}

/* As many lines as may be, each as long as may be, are within the bound. */
TEST(as_much_as_there_may_be)
{
	const size_t size = (SOURCE_LINES_MAX + 1) * 1000;
	_cleanup_free_ char *much = malloc(size);

	assert_non_null(much);
	memset(much, 'y', size);
	for (size_t i = 999; i < size; i += 1000)
		much[i] = '\n';
	write_file(path, much, size);
	assert_int_equal(lines(1, 2, SOURCE_LINES_MAX + 1), 0);
	assert_int_equal(text.count, SOURCE_LINES_MAX);
	assert_in_range(bytes.size, SOURCE_LINES_MAX * SOURCE_LINE_MAX, SOURCE_TEXT_MAX);
	assert_int_equal(lines(1, 1, SOURCE_LINES_MAX + 1), -EINVAL);
}

/* A line of a gibibyte takes no room on the disk, and only the first part of it is read. */
TEST(what_is_too_large)
{
	FILE_IS("a\nb\n");
	assert_int_equal(truncate(path, 1LL << 30), 0);
	assert_int_equal(lines(1, 1, 2), 0);
	assert_int_equal(lines(1, 1, 3), 0); /* the third one is not whole */
	assert_int_equal(text.count, 2);
	assert_int_equal(lines(1, 3, 3), -EFBIG);
	assert_int_equal(lines(3, 1, 1), -EFBIG);
}

TEST(what_is_no_text)
{
	FILE_IS("a\nb\0c\nd\n\xff\xfe\n");
	assert_int_equal(lines(1, 2, 2), -EILSEQ);
	assert_int_equal(lines(2, 1, 1), -EILSEQ);
	assert_int_equal(lines(1, 3, 4), 0); /* whoever shows it makes it UTF-8 */
	assert_string_equal(text.lines[1], "\xff\xfe");
}

/* By the rule of may_read.h, which has tests of its own, and without waiting. */
TEST(files_that_are_not_read)
{
	assert_int_equal(lines(1, 1, 1), -ENOENT);
	assert_int_equal(mkfifo(path, 0666), 0);
	assert_int_equal(lines(1, 1, 1), -EACCES);
	unlink(path);
	assert_int_equal(symlink("/etc/shadow", path), 0);
	assert_int_equal(lines(1, 1, 1), -EACCES);
	unlink(path);
	assert_int_equal(symlink("/proc/self/environ", path), 0);
	assert_true(lines(1, 1, 1) < 0);
	unlink(path);
	write_file(other, "a\n", 2);
	assert_int_equal(link(other, path), 0);
	assert_int_equal(lines(1, 1, 1), -EACCES);
	unlink(path);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(lines(1, 1, 1), -EACCES);
	assert_int_equal(rmdir(path), 0);
}

static int ask(const char *file, __u32 begins, __u32 from, __u32 to)
{
	struct source_wanted w = { begins, from, to, "" };

	strcpy(w.path, file);
	return source_text_read(0, &w, &bytes);
}

TEST(questions_that_are_none)
{
	char name[SOURCE_PATH_SIZE + 8];

	FILE_IS("a\n");
	assert_int_equal(ask(path, 0, 1, 1), -EINVAL);
	assert_int_equal(ask(path, 1, 0, 1), -EINVAL);
	assert_int_equal(ask(path, 1, 2, 1), -EINVAL);
	assert_int_equal(ask(path, 1, 1, ~0U), -EINVAL);
	assert_int_equal(ask("/etc/passwd", 1, 1, 1), -EINVAL);
	assert_int_equal(ask("app.py", 1, 1, 1), -EINVAL);
	assert_int_equal(ask(".py", 1, 1, 1), -EINVAL);
	assert_int_equal(ask("", 1, 1, 1), -EINVAL);
	memset(&wanted, 'p', sizeof(wanted)); /* it has no end */
	wanted.begins = wanted.from = wanted.to = 1;
	assert_int_equal(source_text_read(0, &wanted, &bytes), -EINVAL);
	memset(name, 'x', sizeof(name));
	*name = '/';
	strcpy(name + SOURCE_PATH_SIZE - 3, ".py");
	assert_false(source_text_is_shown(name));
	strcpy(name + SOURCE_PATH_SIZE - 4, ".py");
	assert_true(source_text_is_shown(name));
	assert_int_equal(bytes.size, 0);
}

TEST(without_memory)
{
	int err = -ENOMEM, failed = 0;

	FILE_IS("a\nb\n");
	for (long n = 0; fail_malloc_works() && err; n++) {
		buf_free(&bytes);
		allocations_left = n;
		err = ask(path, 1, 1, 2);
		allocations_left = -1;
		assert_true(!err || !bytes.size);
		failed += err != 0;
	}
	assert_true(failed > 3 || !fail_malloc_works());
}

/* A worker that was taken over may say anything. */
TEST(forged_bytes)
{
	char copy[64];
	size_t size;

	FILE_IS("a\nb\n");
	assert_int_equal(ask(path, 1, 1, 2), 0);
	size = bytes.size;
	assert_true(size <= sizeof(copy));
	for (size_t n = 0; n < size; n++) {
		memcpy(copy, bytes.data, size);
		assert_int_equal(source_text_parse(copy, n, &text), -EBADMSG);
	}
	for (int round = 0; round < 20000; round++) {
		memcpy(copy, bytes.data, size);
		for (int i = 0; i < 3; i++)
			copy[rand() % size] = rand();
		if (source_text_parse(copy, size, &text))
			continue;
		assert_in_range(text.count, 1, SOURCE_LINES_MAX);
		for (__u32 i = 0; i < text.count; i++) {
			assert_true(text.lines[i] > copy);
			assert_true(text.lines[i] + strlen(text.lines[i]) < copy + size);
		}
	}
}

AROUND_EACH(setup, teardown);
