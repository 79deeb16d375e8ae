/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * child.h - a real process for a test, which does nothing until it is killed, or the test ends.
 */
#ifndef PYPERF_TESTS_CHILD_H
#define PYPERF_TESTS_CHILD_H

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/forge/all_rights.h"
#include "tests/forge/test.h"

/* prepare(arg) is the first thing that it does. It has done so when this returns, and succeeded. */
static inline pid_t child_start(bool (*prepare)(const void *arg), const void *arg)
{
	int ready[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		/* To become another user undoes the second. */
		if (!prepare(arg) || prctl(PR_SET_PDEATHSIG, SIGKILL) || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1) {
		need_all_rights();
		fail();
	}
	close(ready[0]);
	return pid;
}

static inline bool child_becomes(const void *user)
{
	const uid_t uid = *(const uid_t *)user;

	return uid == getuid() || !setuid(uid);
}

static inline pid_t child_of(uid_t user)
{
	return child_start(child_becomes, &user);
}

static inline void child_end(pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Returns when a process that was killed, whoever's child it is, has no memory and no files any more. */
static inline void child_wait_gone(pid_t pid)
{
	char path[32], stat[256] = "";

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	do {
		const int fd = open(path, O_RDONLY);
		const ssize_t size = fd < 0 ? 0 : read(fd, stat, sizeof(stat) - 1);

		stat[size < 0 ? 0 : size] = '\0';
		close(fd);
		usleep(500);
	} while (*stat && !strstr(stat, ") Z ") && !strstr(stat, ") X "));
}

static inline void child_kill(pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	child_wait_gone(pid);
}

#endif
