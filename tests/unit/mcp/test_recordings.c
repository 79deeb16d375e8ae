// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_recordings.c - names of profiles, how many there are at most, and that nothing is left of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mcp/recordings.h"
#include "tests/forge/test.h"

static void make(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static void record(struct recordings *r, unsigned int wanted, unsigned int gone)
{
	struct recording_paths paths;
	unsigned int number;

	assert_int_equal(recordings_begin(r, &number, &paths), 0);
	assert_int_equal(number, wanted);
	make(paths.profile);
	make(paths.books);
	assert_int_equal(recordings_keep(r, number), gone);
}

TEST(the_oldest_go)
{
	struct recordings r = { 0 };
	struct recording_paths first, paths;
	char folder[sizeof(r.folder)];
	struct stat st;

	record(&r, 1, 0);
	assert_true(recordings_find(&r, "r1", &first));
	for (unsigned int i = 2; i <= RECORDINGS_MAX + 2; i++)
		record(&r, i, i > RECORDINGS_MAX ? i - RECORDINGS_MAX : 0);
	assert_false(recordings_find(&r, "r1", &paths));
	assert_false(recordings_find(&r, "r2", &paths));
	assert_true(recordings_find(&r, "r3", &paths));
	assert_int_equal(access(first.profile, F_OK), -1);
	assert_int_equal(access(paths.profile, F_OK), 0);
	assert_int_equal(stat(r.folder, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	memcpy(folder, r.folder, sizeof(folder));
	snprintf(paths.profile, sizeof(paths.profile), "%s/.half.tmp", folder);
	make(paths.profile);
	recordings_close(&r);
	assert_int_equal(access(folder, F_OK), -1);
}

TEST(one_that_failed_has_no_name)
{
	struct recordings r = { 0 };
	struct recording_paths paths;
	unsigned int number;

	assert_int_equal(recordings_begin(&r, &number, &paths), 0);
	make(paths.profile);
	recordings_drop(&r, number);
	assert_int_equal(access(paths.profile, F_OK), -1);
	assert_false(recordings_find(&r, "r1", &paths));
	record(&r, 2, 0);
	recordings_close(&r);
}

TEST(names)
{
	assert_true(recordings_is_name("r1"));
	assert_true(recordings_is_name("r4711"));
	assert_false(recordings_is_name("r"));
	assert_false(recordings_is_name("r1.pb.gz"));
	assert_false(recordings_is_name("./r1"));
	assert_false(recordings_is_name("1"));
}

TEST(a_folder_that_cannot_be_made)
{
	struct recordings r = { 0 };
	struct recording_paths paths;
	unsigned int number = 0;

	setenv("TMPDIR", "/proc/nowhere", 1);
	assert_int_equal(recordings_begin(&r, &number, &paths), -ENOENT);
	assert_int_equal(number, 0);
	unsetenv("TMPDIR");
	recordings_close(&r);
}
