// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_folder.c - profiles by time in a folder: names that sort and are never used twice, the oldest removed,
 * what is not ours left alone, and nothing left by a failure.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "export/folder.h"
#include "tests/forge/test.h"

static char folder[64];
static char name[FOLDER_NAME_SIZE];
static size_t removed;

static int setup(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/test_folder.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	(void)state;
	while (d && (e = readdir(d)))
		if (unlinkat(dirfd(d), e->d_name, 0) < 0)
			unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
	if (d)
		closedir(d);
	return rmdir(folder);
}

static char *path_of(const char *file)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	return path;
}

static int size_of(const char *file)
{
	struct stat st;

	return lstat(path_of(file), &st) < 0 ? -1 : (int)st.st_size;
}

static void put(const char *file, size_t size)
{
	_cleanup_fclose_ FILE *f = fopen(path_of(file), "w");

	assert_non_null(f);
	while (size--)
		fputc('x', f);
}

TEST(is_made)
{
	struct stat st;
	char below[96];

	assert_int_equal(folder_make(folder), 0); /* it is there */
	snprintf(below, sizeof(below), "%s/new", folder);
	assert_int_equal(folder_make(below), 0);
	assert_int_equal(stat(below, &st), 0);
	assert_int_equal(folder_check(below), 0);
	assert_int_equal(folder_make("/nonexistent/new"), -ENOENT);
	assert_non_null(strstr(folder_why("/nonexistent/new", -ENOENT), "the folder above it is not there"));
	assert_string_equal(folder_why(below, -EROFS), strerror(EROFS));
	assert_string_equal(folder_why("/new", -ENOENT), strerror(ENOENT));
}

static int count(void)
{
	DIR *d = opendir(folder);
	int n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static int add(time_t seconds, long ms, size_t size)
{
	static char data[4096];

	assert_true(size <= sizeof(data));
	return folder_add(folder, &(struct timespec){ seconds, ms * 1000000 + 999999 }, data, size, name);
}

TEST(names_are_utc)
{
	setenv("TZ", "Asia/Kolkata", 1);
	tzset();
	assert_int_equal(add(1795270775, 7, 3), 0);
	assert_string_equal(name, "pyperf-bpf-20261121T141935.007Z.pb.gz");
	assert_int_equal(size_of(name), 3);
	assert_int_equal(add(0, 0, 0), 0);
	assert_string_equal(name, "pyperf-bpf-19700101T000000.000Z.pb.gz");
	assert_int_equal(count(), 2);
}

TEST(replaces_none)
{
	assert_int_equal(add(1795270775, 999, 1), 0);
	assert_int_equal(add(1795270775, 999, 2), 0);
	assert_string_equal(name, "pyperf-bpf-20261121T141936.000Z.pb.gz");
	assert_int_equal(add(1795270775, 999, 3), 0);
	assert_string_equal(name, "pyperf-bpf-20261121T141936.001Z.pb.gz");
	assert_int_equal(size_of("pyperf-bpf-20261121T141935.999Z.pb.gz"), 1);
	/* A link that leads nowhere has the name as well. */
	assert_int_equal(symlink("/nowhere/at/all", path_of("pyperf-bpf-20261121T141936.002Z.pb.gz")), 0);
	assert_int_equal(add(1795270775, 999, 4), 0);
	assert_string_equal(name, "pyperf-bpf-20261121T141936.003Z.pb.gz");
}

/* Whoever wrote it was killed behind that, and what it had to write is written again. */
TEST(adds_the_same_once)
{
	static const struct timespec when = { 1700000000, 0 };
	char first[FOLDER_NAME_SIZE], again[FOLDER_NAME_SIZE], other[FOLDER_NAME_SIZE];

	assert_int_equal(folder_add(folder, &when, "profile", 7, first), 0);
	assert_int_equal(folder_add(folder, &when, "another", 7, other), 0);
	assert_string_not_equal(first, other);
	assert_int_equal(folder_add(folder, &when, "profile", 7, again), 0);
	assert_string_equal(first, again);
	assert_int_equal(folder_add(folder, &when, "another", 7, again), 0);
	assert_string_equal(other, again);
	assert_int_equal(count(), 2);
	assert_int_equal(folder_add(folder, &when, "profiles", 8, again), 0);
	assert_int_equal(count(), 3);
}

TEST(keeps_a_number)
{
	for (int i = 0; i < 10; i++)
		assert_int_equal(add(1795270775 + 60 * i, 0, 10), 0);
	assert_int_equal(folder_prune(folder, &(struct folder_keep){ .files = 10 }, name, &removed), 0);
	assert_int_equal(removed, 0);
	assert_int_equal(folder_prune(folder, &(struct folder_keep){ .files = 3 }, name, &removed), 0);
	assert_int_equal(removed, 7);
	assert_int_equal(count(), 3);
	assert_int_equal(size_of("pyperf-bpf-20261121T142635.000Z.pb.gz"), 10); /* the eighth of them */
	assert_int_equal(size_of(name), 10);
	assert_int_equal(folder_prune(folder, &(struct folder_keep){}, name, &removed), 0);
	assert_int_equal(removed, 0);
}

TEST(keeps_a_size)
{
	for (int i = 0; i < 10; i++)
		assert_int_equal(add(1795270775 + 60 * i, 0, 100), 0);
	assert_int_equal(folder_prune(folder, &(struct folder_keep){ .bytes = 1000 }, name, &removed), 0);
	assert_int_equal(removed, 0);
	assert_int_equal(folder_prune(folder, &(struct folder_keep){ .bytes = 399 }, name, &removed), 0);
	assert_int_equal(removed, 7);
	/* Both limits hold, and the newest stays whatever its size. */
	assert_int_equal(folder_prune(folder, &(struct folder_keep){ 2, 1000 }, name, &removed), 0);
	assert_int_equal(removed, 1);
	assert_int_equal(folder_prune(folder, &(struct folder_keep){ .bytes = 1 }, name, &removed), 0);
	assert_int_equal(removed, 1);
	assert_int_equal(size_of(name), 100);
}

/* The clock was ten years ahead for a while: what was written then fills the limit. */
TEST(files_of_the_future_are_the_oldest)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	for (int i = 0; i < 3; i++)
		assert_int_equal(add(now.tv_sec + 315360000 + i, 0, 10), 0);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(add(now.tv_sec - 100 + i, 0, 10), 0);
		assert_int_equal(folder_prune(folder, &(struct folder_keep){ .files = 3 }, name, &removed),
				 0);
		assert_int_equal(removed, 1);
		assert_int_equal(size_of(name), 10);
	}
	assert_int_equal(count(), 3);
	/* Now it is behind: the file that was written last has the oldest name, and stays. */
	assert_int_equal(add(now.tv_sec - 315360000, 0, 10), 0);
	assert_int_equal(folder_prune(folder, &(struct folder_keep){ .files = 1 }, name, &removed), 0);
	assert_int_equal(removed, 3);
	assert_int_equal(size_of(name), 10);
}

TEST(leaves_alone_what_is_not_ours)
{
	static const char *const others[] = {
		"profile.pb.gz",
		"pyperf-bpf-20261121T141935.007Z.pb",
		"pyperf-bpf-20261121T141935.007Z.pb.gz.old",
		"pyperf-bpf-20261121T14193x.007Z.pb.gz",
		"xpyperf-bpf-20261121T141935.007Z.pb.gz",
		"pyperf-bpf-20261121T141935.007Z-pb.gz",
		".pyperf-bpf-20261121T141935.007Z.pb.gz",
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		put(others[i], 5);
	assert_int_equal(mkdir(path_of("pyperf-bpf-20000101T000000.000Z.pb.gz"), 0755), 0);
	assert_int_equal(symlink("profile.pb.gz", path_of("pyperf-bpf-20000101T000000.001Z.pb.gz")), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(add(1795270775, i, 10), 0);
	assert_int_equal(folder_prune(folder, &(struct folder_keep){ .files = 1 }, name, &removed), 0);
	assert_int_equal(removed, 2);
	assert_int_equal(count(), (int)ARRAY_SIZE(others) + 2 + 1);
}

/* Whoever was killed while it wrote a file has left it. One that is being written stays. */
TEST(takes_away_what_is_unfinished)
{
	const struct timespec then = { .tv_sec = time(NULL) - 7200 }, long_ago[2] = { then, then };
	static const char *const old[] = { ".pyperf-bpf.0123456789abcdef.tmp", ".pyperf-bpf.tmp.x",
					   "pyperf-bpf.0123456789abcdef.tmp" };

	put(".pyperf-bpf.fedcba9876543210.tmp", 5);
	for (size_t i = 0; i < ARRAY_SIZE(old); i++) {
		put(old[i], 5);
		assert_int_equal(utimensat(AT_FDCWD, path_of(old[i]), long_ago, 0), 0);
	}
	assert_int_equal(add(1795270775, 0, 10), 0);
	assert_int_equal(folder_prune(folder, &(struct folder_keep){ .files = 1 }, name, &removed), 0);
	assert_int_equal(removed, 0);
	assert_int_equal(access(path_of(old[0]), F_OK), -1);
	assert_int_equal(access(path_of(old[1]), F_OK), 0);
	assert_int_equal(access(path_of(old[2]), F_OK), 0);
	assert_int_equal(count(), 4);
}

TEST(a_folder_that_is_gone)
{
	assert_int_equal(folder_check(folder), 0);
	rmdir(folder);
	strcpy(name, "untouched");
	assert_int_equal(add(1795270775, 0, 1), -ENOENT);
	assert_string_equal(name, "untouched");
	assert_int_equal(folder_check(folder), -ENOENT);
	removed = 77;
	assert_int_equal(folder_prune(folder, &(struct folder_keep){ 1, 1 }, name, &removed), -ENOENT);
	assert_int_equal(removed, 77);
	assert_int_equal(mkdir(folder, 0755), 0);
	put("file", 1);
	assert_int_equal(folder_check(path_of("file")), -ENOTDIR);
}

/* As on a full disk, a write that fails half way. */
TEST(failure_leaves_nothing)
{
	struct rlimit before, small;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = (struct rlimit){ 1000, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(add(1795270775, 0, 4096), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(count(), 0);
	assert_int_equal(add(1795270775, 0, 4096), 0);
	assert_string_equal(name, "pyperf-bpf-20261121T141935.000Z.pb.gz");
}

AROUND_EACH(setup, teardown);
