// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_may_read.c - of what a target names only that is read which its own user could read: whatever the file
 * system, the owner and the number of names, and whatever the target says of itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "proc/may_read.h"
#include "tests/forge/child.h"
#include "tests/forge/test.h"

#define USER 4711

static bool may_own(pid_t tid, const char *path)
{
	_cleanup_close_ int fd = open(path, O_PATH | O_CLOEXEC);
	struct stat stat;

	assert_int_equal(fstat(fd, &stat), 0);
	return may_read_own(tid, fd, &stat);
}

static bool may_public(const char *path)
{
	_cleanup_close_ int fd = open(path, O_PATH | O_CLOEXEC);
	struct stat stat;

	assert_int_equal(fstat(fd, &stat), 0);
	return may_read_public(fd, &stat);
}

TEST(kinds)
{
	char path[] = "/tmp/pyperf-kind.XXXXXX";
	_cleanup_close_ int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_true(may_own(0, path));
	assert_true(may_own(getpid(), path));
	assert_false(may_public(path));
	assert_int_equal(fchmod(fd, 0644), 0);
	assert_true(may_public(path));
	unlink(path);
	assert_false(may_own(0, "/dev/null"));
	assert_false(may_own(0, "/tmp"));
	assert_false(may_public("/tmp"));
	assert_false(may_own(0, "/proc/self/stat"));
	assert_false(may_public("/proc/self/stat"));
	assert_false(may_public("/sys/kernel/uevent_seqnum"));
	if (!access("/sys/kernel/tracing/README", F_OK))
		assert_false(may_own(0, "/sys/kernel/tracing/README"));
	else
		print_message("SKIP unit: tracefs is not mounted\n");
}

TEST(second_names)
{
	char path[] = "/tmp/pyperf-kind.XXXXXX", other[64];
	_cleanup_close_ int fd = mkstemp(path);

	snprintf(other, sizeof(other), "%s.other", path);
	assert_int_equal(link(path, other), 0);
	assert_false(may_own(0, path));
	unlink(other);
	assert_true(may_own(0, path));
	unlink(path);
}

/* The process may have been root's, and may have asked for /proc/PID to be root's. */
static bool become_user(const void *arg)
{
	(void)arg;
	return !setgid(USER) && !setuid(USER) && !prctl(PR_SET_DUMPABLE, 0);
}

TEST(owners)
{
	char path[] = "/tmp/pyperf-kind.XXXXXX";
	_cleanup_close_ int fd = -1;
	struct stat stat;
	pid_t pid;

	if (geteuid()) {
		print_message("SKIP unit: only root changes owners\n");
		return;
	}
	fd = mkstemp(path);
	pid = child_start(become_user, NULL);
	assert_int_equal(fstat(fd, &stat), 0);
	assert_false(may_read_owned(pid, &stat));
	assert_false(may_own(pid, path));
	assert_int_equal(fchown(fd, USER, USER), 0);
	assert_int_equal(fstat(fd, &stat), 0);
	assert_true(may_read_owned(pid, &stat));
	assert_true(may_own(pid, path));
	assert_false(may_own(0, path));
	unlink(path);
	child_end(pid);
	assert_false(may_read_owned(pid, &stat)); /* it has ended */
}
