// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_kept_file.c - files of /proc that stay open: what they say is new each time, and they leave
 * descriptors for others.
 */
#include "hosted/kept_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/forge/test.h"

TEST(what_it_says_is_new)
{
	struct kept_file f = { 0 };
	char text[4096];
	int fd;

	kept_files_begin();
	prctl(PR_SET_NAME, "before");
	assert_int_equal(kept_file_read(&f, "/proc/self/stat", text, sizeof(text)), 0);
	assert_non_null(strstr(text, "(before)"));
	fd = f.fd;
	assert_true(fd > 0);
	prctl(PR_SET_NAME, "afterwards");
	assert_int_equal(kept_file_read(&f, "/nowhere", text, sizeof(text)), 0);
	assert_non_null(strstr(text, "(afterwards)"));
	assert_int_equal(f.fd, fd);
	assert_int_equal(kept_file_read(&f, "/nowhere", text, 8), 0);
	assert_int_equal(strlen(text), 7);
	kept_file_close(&f);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	kept_file_close(&f);
	assert_int_equal(f.fd, 0);
}

TEST(who_has_ended)
{
	struct kept_file f = { 0 }, none = { 0 };
	const pid_t child = fork();
	char path[64], text[4096];

	if (!child) {
		pause();
		_exit(0);
	}
	kept_files_begin();
	snprintf(path, sizeof(path), "/proc/%d/stat", child);
	assert_int_equal(kept_file_read(&f, path, text, sizeof(text)), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(kept_file_read(&f, path, text, sizeof(text)), -ESRCH);
	assert_int_equal(kept_file_read(&none, path, text, sizeof(text)), -ESRCH);
	assert_int_equal(none.fd, 0);
	kept_file_close(&f);
}

/* Half of what there may be stays for others, and those without one are read all the same. */
TEST(there_are_descriptors_left)
{
	static struct kept_file files[128];
	struct rlimit before, few;
	unsigned int kept = 0;
	char text[4096];

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = (struct rlimit){ 64, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	kept_files_begin();
	for (size_t i = 0; i < 128; i++) {
		assert_int_equal(kept_file_read(&files[i], "/proc/self/stat", text, sizeof(text)), 0);
		kept += files[i].fd > 0;
	}
	assert_in_range(kept, 8, 32);
	for (size_t i = 0; i < 128; i++)
		kept_file_close(&files[i]);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}
