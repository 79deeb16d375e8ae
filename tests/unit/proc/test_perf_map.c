// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_perf_map.c - the names of code that a process has made: which lines count, what is right where they
 * overlap, whose file it is, and the bytes that a parser could send.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "proc/perf_map.h"
#include "tests/forge/test.h"

static struct buf bytes;
static struct perf_map map;

static int teardown(void **state)
{
	(void)state;
	buf_free(&bytes);
	return 0;
}

static void take(const char *text, size_t size)
{
	_cleanup_close_ int fd = memfd_create("map", MFD_CLOEXEC);

	assert_int_equal(write(fd, text, size), size);
	buf_clear(&bytes);
	assert_int_equal(perf_map_read(fd, &bytes), 0);
	assert_int_equal(perf_map_parse(bytes.data, bytes.size, &map), 0);
}

TEST(names_by_address)
{
	static const char text[] = "2000 10 second one\n"
				   "1000 20 first\n"
				   "7ffffffff000 1000 last\n"
				   "3000 5 not whole yet";

	take(text, strlen(text));
	assert_int_equal(map.count, 3);
	assert_string_equal(perf_map_find(&map, 0xfff), "");
	assert_string_equal(perf_map_find(&map, 0x1000), "first");
	assert_string_equal(perf_map_find(&map, 0x101f), "first");
	assert_string_equal(perf_map_find(&map, 0x1020), "");
	assert_string_equal(perf_map_find(&map, 0x200f), "second one");
	assert_string_equal(perf_map_find(&map, 0x7fffffffffff), "last");
	assert_string_equal(perf_map_find(&map, 0x3000), "");
	take("", 0);
	assert_int_equal(map.count, 0);
	assert_string_equal(perf_map_find(&map, 0x1000), "");
}

TEST(malformed_lines)
{
	static const char *const lines[] = {
		"", " ", "x 10 name", "1000", "1000 ", "1000 10", "1000 10 ", " 1000 10 name",
		"1000  10 name",
		"-1000 10 name", "+1000 10 name", "1000 -10 name", "1000 0 name", "1000 100000000 name",
		"100000000000000 10 name", "10000000000000000 10 name", "1000 10000000000000000 name",
		"1000\t10\tname",
	};
	char text[128];

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		int n = snprintf(text, sizeof(text), "%s\n2000 10 right\n", lines[i]);

		take(text, n);
		if (map.count != 1)
			fail_msg("'%s' was taken", lines[i]);
		assert_string_equal(perf_map_find(&map, 0x2000), "right");
	}
	take("1000 10 a\0b\n2000 10 right\n", 26);
	assert_string_equal(perf_map_find(&map, 0x1000), "a");
}

/* Memory is used again. What is named is what a line says, and of lines for one place no older one. */
TEST(overlapping)
{
	enum { ADDRESSES = 64, LINES = 12 };

	srand(7);
	for (int round = 0; round < 3000; round++) {
		char text[LINES * 32], name[16];
		int covers[ADDRESSES][LINES] = { 0 }, used = 0;

		for (int i = 0; i < LINES; i++) {
			int begin = rand() % ADDRESSES, size = 1 + rand() % (ADDRESSES - begin);

			used += sprintf(text + used, "%x %x f%d\n", 0x1000 + begin, size, i);
			for (int at = begin; at < begin + size; at++)
				covers[at][i] = 1;
		}
		take(text, used);
		for (int at = 0; at < ADDRESSES; at++) {
			const char *found = perf_map_find(&map, 0x1000 + at);
			int newest = -1;

			for (int i = 0; i < LINES; i++)
				if (covers[at][i])
					newest = i;
			snprintf(name, sizeof(name), "f%d", newest);
			if (*found && !covers[at][atoi(found + 1)])
				fail_msg("%s is not at %d:\n%s", found, at, text);
			if (*found && strcmp(found, name))
				fail_msg("%s and not %s is at %d:\n%s", found, name, at, text);
		}
	}
}

TEST(bounds)
{
	const size_t room = 48 << 20, long_name = 5000;
	char *text = malloc(room);
	size_t used = 0;

	assert_non_null(text);
	used = sprintf(text, "1000 10 ");
	memset(text + used, 'x', long_name);
	used += long_name;
	text[used++] = '\n';
	take(text, used);
	assert_int_equal(strlen(perf_map_find(&map, 0x1000)), PERF_MAP_NAME_SIZE - 1);
	used = 0;
	for (__u64 i = 0; used < room - 100; i++) /* more lines, and more bytes, than are taken */
		used += sprintf(text + used, "%llx 10 f\n", 0x1000 + 16 * i);
	take(text, used);
	assert_int_equal(map.count, PERF_MAP_COUNT_MAX);
	used = 0;
	for (__u64 i = 0; used < room - 1000; i++) {
		used += sprintf(text + used, "%llx 10 ", 0x1000 + 16 * i);
		memset(text + used, 'y', 400);
		used += 400;
		text[used++] = '\n';
	}
	take(text, used);
	assert_in_range(bytes.size, PERF_MAP_NAMES_MAX / 2, PERF_MAP_BYTES_MAX);
	memset(text, 'z', room); /* one line without an end */
	take(text, room);
	assert_int_equal(map.count, 0);
	free(text);
}

TEST(hostile_bytes)
{
	static const char text[] = "1000 10 one\n2000 10 two\n";
	struct perf_map ignored;

	take(text, strlen(text));
	for (size_t size = 0; size < bytes.size; size++)
		assert_int_equal(perf_map_parse(bytes.data, size, &ignored), -EBADMSG);
	for (size_t i = 0; i < bytes.size; i++)
		for (int bit = 0; bit < 8; bit++) {
			bytes.data[i] ^= 1 << bit;
			if (!perf_map_parse(bytes.data, bytes.size, &ignored))
				assert_non_null(perf_map_find(&ignored, 0x1005));
			bytes.data[i] ^= 1 << bit;
		}
}

/* A link to a file of its own, and a file of its own with a second name. Nobody writes perf maps so. */
static void not_its_own(const char *path)
{
	char other[80];
	struct stat stat;
	int fd;

	snprintf(other, sizeof(other), "%s.other", path);
	fd = open(other, O_CREAT | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(symlink(other, path), 0);
	assert_int_equal(perf_map_open(getpid(), &stat), -ENOENT);
	unlink(path);
	assert_int_equal(link(other, path), 0);
	assert_int_equal(perf_map_open(getpid(), &stat), -ENOENT);
	unlink(path);
	unlink(other);
}

TEST(whose_file)
{
	char path[64];
	struct stat stat;
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	unlink(path);
	assert_int_equal(perf_map_open(getpid(), &stat), -ENOENT);
	fd = open(path, O_CREAT | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, "text", 4), 4);
	close(fd);
	fd = perf_map_open(getpid(), &stat);
	assert_true(fd >= 0);
	assert_int_equal(stat.st_size, 4);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	close(fd);
	if (geteuid())
		print_message("SKIP: another user's file needs root\n");
	else {
		assert_int_equal(chown(path, 4711, 4711), 0);
		assert_int_equal(perf_map_open(getpid(), &stat), -ENOENT);
	}
	unlink(path);
	not_its_own(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	alarm(60); /* an open that waits would never return */
	assert_int_equal(perf_map_open(getpid(), &stat), -ENOENT);
	alarm(0);
	unlink(path);
	assert_int_equal(symlink("/dev/zero", path), 0);
	assert_int_equal(perf_map_open(getpid(), &stat), -ENOENT);
	unlink(path);
}

AROUND_EACH(NULL, teardown);
