// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_file_change.c - when a file was changed, whatever its text says; when a link to it was; and what is
 * after the start of a process.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file_change.h"
#include "tests/forge/test.h"

static char folder[] = "/tmp/test_file_change.XXXXXX";
static char path[64], link_path[64], through[64];

static __s64 changed_with(time_t text)
{
	const struct timespec times[] = { { .tv_sec = text }, { .tv_sec = text } };
	struct stat stat_;

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_int_equal(stat(path, &stat_), 0);
	return file_change_ns(&stat_);
}

TEST(the_later_time_counts)
{
	const __s64 now = (__s64)clock_unix_ns(), second = NS_PER_SECOND;
	const __s64 put = changed_with(1000000000);

	assert_true(put > now - 60 * second && put < now + 3600 * second);
	assert_true(changed_with(4000000000) == 4000000000 * second);
}

TEST(links_on_the_way)
{
	const __s64 now = (__s64)clock_unix_ns(), second = NS_PER_SECOND;

	assert_int_equal(file_change_links_ns(path), 0);
	assert_int_equal(file_change_links_ns("/no/such/file"), 0);
	assert_int_equal(file_change_links_ns(""), 0);
	assert_true(file_change_links_ns(link_path) > now - 60 * second);
	assert_true(file_change_links_ns(through) == file_change_links_ns(link_path));
}

TEST(what_is_after_a_start)
{
	const __s64 start = 1700000000 * (__s64)NS_PER_SECOND;

	assert_false(file_change_is_after(start - 1, start));
	assert_false(file_change_is_after(start + 10 * (__s64)NS_PER_MS, start));
	assert_true(file_change_is_after(start + 100 * (__s64)NS_PER_MS, start));
}

static int make_folder(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/x.py", folder);
	snprintf(link_path, sizeof(link_path), "%s/link", folder);
	snprintf(through, sizeof(through), "%s/link/x.py", folder);
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	return symlink(folder, link_path);
}

static int remove_folder(void **state)
{
	(void)state;
	return unlink(link_path) || unlink(path) || rmdir(folder);
}

AROUND_ALL(make_folder, remove_folder);
