/* SPDX-License-Identifier: GPL-2.0-only */
/* in_child.h - for what a process cannot take back: a check is run in a child, and its exit code told. */
#ifndef PYPERF_TESTS_IN_CHILD_H
#define PYPERF_TESTS_IN_CHILD_H

#include <sys/wait.h>
#include <unistd.h>

static int exit_code(int (*run)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(run());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

#endif
