// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_debug_file.c - the file that belongs to a build id, as another process sees it and as we do: not one
 * that the process's user has put there, nor one that not everybody may read. Each has a /usr/lib of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "proc/debug_file.h"
#include "tests/forge/test.h"

#define BUILD_IDS "/usr/lib/debug/.build-id"
#define OURS	  "/usr/lib/library" /* has that build id, as theirs has */
#define USER	  4711

static const __u8 id[] = { 0xab, 0x01, 0xf0 };
static const __u8 other_id[] = { 0xab, 0x02 };

struct other {
	pid_t pid;
	char library[64], debug[96]; /* its files, as we reach them */
};

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

/* A folder over that of the debug files, as a user can have it who has name spaces of his own. */
static int cover(void)
{
	if (mount("none", "/usr/lib/debug", "tmpfs", 0, NULL) || mkdir(BUILD_IDS, 0755) ||
	    mkdir(BUILD_IDS "/ab", 0755))
		return -errno;
	put(BUILD_IDS "/ab/01f0.debug", "forged");
	return 0;
}

/* A process whose files are other ones. */
static struct other start_other(bool forges)
{
	struct other other = { 0 };
	int ready[2];
	char byte = 0;

	assert_int_equal(pipe(ready), 0);
	other.pid = fork();
	if (!other.pid) {
		if (own_folder())
			_exit(1);
		put(BUILD_IDS "/ab/01f0.debug", "theirs");
		put("/usr/lib/elsewhere", "linked");
		put("/usr/lib/library", "mapped");
		if (symlink("../../../elsewhere", BUILD_IDS "/ab/02.debug") || (forges && cover()))
			_exit(1);
		if (write(ready[1], "x", 1) == 1)
			pause();
		_exit(0);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	snprintf(other.library, sizeof(other.library), "/proc/%d/root/usr/lib/library", other.pid);
	snprintf(other.debug, sizeof(other.debug), "/proc/%d/root" BUILD_IDS "/ab/01f0.debug", other.pid);
	return other;
}

static void end_other(const struct other *other)
{
	assert_int_equal(kill(other->pid, SIGKILL), 0);
	assert_int_equal(waitpid(other->pid, NULL, 0), other->pid);
}

static int open_of(pid_t pid, const char *library, const __u8 *build_id, size_t size)
{
	_cleanup_close_ int file = open(library, O_RDONLY | O_CLOEXEC);

	assert_true(file >= 0);
	return debug_file_open(pid, file, build_id, size);
}

static void says(int fd, const char *text)
{
	char found[16] = "";

	assert_true(fd >= 0);
	assert_int_equal(read(fd, found, sizeof(found) - 1), strlen(text));
	assert_string_equal(found, text);
	close(fd);
}

static int setup(void **state)
{
	umask(0022);
	*state = own_folder() ? NULL : state;
	if (!*state)
		print_message("SKIP mounts: a mount namespace is refused\n");
	else
		put("/usr/lib/library", "mapped");
	return 0;
}

TEST(by_build_id)
{
	static const __u8 long_id[65] = { 0 };
	_cleanup_close_ int file = -1;
	struct other other;

	if (!*state)
		return;
	assert_int_equal(open_of(getpid(), OURS, id, sizeof(id)), -ENOENT);
	other = start_other(false);
	says(open_of(other.pid, other.library, id, sizeof(id)), "theirs");
	says(open_of(other.pid, other.library, other_id, sizeof(other_id)), "linked");
	put(BUILD_IDS "/ab/01f0.debug", "ours");
	says(open_of(other.pid, other.library, id, sizeof(id)), "theirs");
	says(open_of(getpid(), OURS, id, sizeof(id)), "ours");
	file = open(other.library, O_RDONLY | O_CLOEXEC);
	end_other(&other);
	says(debug_file_open(other.pid, file, id, sizeof(id)), "ours");
	assert_int_equal(open_of(getpid(), OURS, id, 1), -ENOENT);
	assert_int_equal(open_of(getpid(), OURS, long_id, sizeof(long_id)), -ENOENT);
	assert_int_equal(unlink(BUILD_IDS "/ab/01f0.debug"), 0);
	assert_int_equal(mkfifo(BUILD_IDS "/ab/01f0.debug", 0644), 0);
	alarm(60); /* an open that waits would never return */
	assert_int_equal(open_of(getpid(), OURS, id, sizeof(id)), -ENOENT);
	alarm(0);
	assert_int_equal(unlink(BUILD_IDS "/ab/01f0.debug"), 0);
}

/* What a user can put in the way of a file that others have mapped, too. */
TEST(forged)
{
	struct other other;

	if (!*state)
		return;
	other = start_other(true);
	assert_int_equal(open_of(other.pid, other.library, id, sizeof(id)), -ENOENT);
	put(BUILD_IDS "/ab/01f0.debug", "ours");
	says(open_of(other.pid, other.library, id, sizeof(id)), "ours");
	end_other(&other);
	other = start_other(false);
	assert_int_equal(chown(other.debug, USER, USER), 0);
	says(open_of(other.pid, other.library, id, sizeof(id)), "ours");
	assert_int_equal(chown(other.library, USER, USER), 0);
	says(open_of(other.pid, other.library, id, sizeof(id)), "theirs");
	end_other(&other);
	assert_int_equal(unlink(BUILD_IDS "/ab/01f0.debug"), 0);
}

/* One that not everybody may read tells of no file that everybody may. */
TEST(private)
{
	struct other other;

	if (!*state)
		return;
	other = start_other(false);
	put(BUILD_IDS "/ab/01f0.debug", "ours");
	assert_int_equal(chmod(BUILD_IDS "/ab/01f0.debug", 0600), 0);
	assert_int_equal(chmod(other.debug, 0600), 0);
	assert_int_equal(open_of(other.pid, other.library, id, sizeof(id)), -ENOENT);
	assert_int_equal(open_of(getpid(), OURS, id, sizeof(id)), -ENOENT);
	assert_int_equal(chmod(other.library, 0700), 0);
	says(open_of(other.pid, other.library, id, sizeof(id)), "theirs");
	assert_int_equal(chmod(BUILD_IDS "/ab/01f0.debug", 0644), 0);
	assert_int_equal(chmod(BUILD_IDS "/ab", 0700), 0); /* nor one in a folder that is closed */
	assert_int_equal(unlink(other.debug), 0);
	assert_int_equal(open_of(other.pid, other.library, id, sizeof(id)), -ENOENT);
	assert_int_equal(chmod(BUILD_IDS "/ab", 0755), 0);
	says(open_of(other.pid, other.library, id, sizeof(id)), "ours");
	end_other(&other);
	assert_int_equal(unlink(BUILD_IDS "/ab/01f0.debug"), 0);
}

AROUND_ALL(setup, NULL);
