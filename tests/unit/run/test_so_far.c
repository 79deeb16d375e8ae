// SPDX-License-Identifier: GPL-2.0-only
/* test_so_far.c - what a command that is ended says of how far it came. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorded/recorded.h"
#include "run/so_far.h"
#include "tests/forge/test.h"

/* What a process says that is ended then, and its exit code. */
static void ended(bool is_read, const char *expected)
{
	struct recorded r = { .files = 3, .stacks = { .count = 120450 } };
	char said[256] = "";
	int fds[2], status;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(fds[1], STDERR_FILENO);
		if (so_far_reading(&r))
			_exit(7);
		if (is_read)
			so_far_answering();
		raise(SIGTERM);
		_exit(0);
	}
	close(fds[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(read(fds[0], said, sizeof(said) - 1) > 0);
	close(fds[0]);
	assert_string_equal(said, expected);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EXIT_FAILURE);
}

TEST(while_files_are_read)
{
	ended(false, "pyperf-bpf: ended while it read: 120450 different stacks of 3 files so far\n");
}

TEST(while_stacks_are_counted)
{
	ended(true,
	      "pyperf-bpf: ended while it counted 120450 different stacks of 3 files, which it has read\n");
}
