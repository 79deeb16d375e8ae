// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_debug_file.c - the file that belongs to a build id, as another process sees it and as we do. Each has
 * a /usr/lib of its own here.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "proc/debug_file.h"

#define BUILD_IDS "/usr/lib/debug/.build-id"

static const __u8 id[] = { 0xab, 0x01, 0xf0 };
static const __u8 other_id[] = { 0xab, 0x02 };

static int own_folder(void)
{
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/usr/lib", "tmpfs", 0, NULL))
		return -errno;
	return mkdir("/usr/lib/debug", 0755) || mkdir(BUILD_IDS, 0755) || mkdir(BUILD_IDS "/ab", 0755);
}

static void put(const char *path, const char *text)
{
	_cleanup_close_ int fd = open(path, O_CREAT | O_WRONLY | O_EXCL | O_CLOEXEC, 0644);

	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		_exit(1);
}

/* A process whose files are other ones. */
static pid_t start_other(void)
{
	int ready[2];
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		if (own_folder())
			_exit(1);
		put(BUILD_IDS "/ab/01f0.debug", "theirs");
		put("/usr/lib/elsewhere", "linked");
		if (symlink("../../../elsewhere", BUILD_IDS "/ab/02.debug"))
			_exit(1);
		if (write(ready[1], "x", 1) == 1)
			pause();
		_exit(0);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void says(int fd, const char *text)
{
	char found[16] = "";

	assert_true(fd >= 0);
	assert_int_equal(read(fd, found, sizeof(found) - 1), strlen(text));
	assert_string_equal(found, text);
	close(fd);
}

static void by_build_id(void **state)
{
	static const __u8 long_id[65] = { 0 };
	pid_t pid;

	(void)state;
	if (own_folder()) {
		print_message("SKIP mounts: a mount namespace is refused\n");
		return;
	}
	assert_int_equal(debug_file_open(getpid(), id, sizeof(id)), -ENOENT);
	pid = start_other();
	says(debug_file_open(pid, id, sizeof(id)), "theirs");
	says(debug_file_open(pid, other_id, sizeof(other_id)), "linked");
	put(BUILD_IDS "/ab/01f0.debug", "ours");
	says(debug_file_open(pid, id, sizeof(id)), "theirs");
	says(debug_file_open(getpid(), id, sizeof(id)), "ours");
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	says(debug_file_open(pid, id, sizeof(id)), "ours"); /* it has ended */
	assert_int_equal(debug_file_open(getpid(), id, 1), -ENOENT);
	assert_int_equal(debug_file_open(getpid(), long_id, sizeof(long_id)), -ENOENT);
	assert_int_equal(unlink(BUILD_IDS "/ab/01f0.debug"), 0);
	assert_int_equal(mkfifo(BUILD_IDS "/ab/01f0.debug", 0644), 0);
	alarm(5); /* an open that waits would never return */
	assert_int_equal(debug_file_open(getpid(), id, sizeof(id)), -ENOENT);
	alarm(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(by_build_id) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
