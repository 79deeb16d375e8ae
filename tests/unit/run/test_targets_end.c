// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_targets_end.c - when the last process that --pid names has ended.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "run/targets_end.h"
#include "tests/forge/test.h"

static pid_t start(void)
{
	pid_t pid = fork();

	if (!pid) {
		pause();
		_exit(0);
	}
	assert_true(pid > 0);
	return pid;
}

/* It stays a zombie, which has ended. */
static void end(pid_t pid)
{
	siginfo_t info;

	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), 0);
}

TEST(the_last_one)
{
	const pid_t pids[] = { start(), start(), 0x7ffffff0 };
	struct targets_end e;

	assert_int_equal(targets_end_open(&e, pids, ARRAY_SIZE(pids)), 0);
	assert_false(targets_end_look(&e, false, 0));
	end(pids[0]);
	assert_false(targets_end_look(&e, false, 0));
	assert_int_equal(waitpid(pids[0], NULL, 0), pids[0]);
	end(pids[1]);
	assert_true(targets_end_look(&e, false, 0));
	assert_int_equal(waitpid(pids[1], NULL, 0), pids[1]);
	assert_true(targets_end_look(&e, false, 7));
	targets_end_close(&e);
	targets_end_close(&e);
}

static void *tell_tid(void *seen)
{
	struct targets_end e;
	pid_t *ret = seen;

	*ret = gettid();
	ret[1] = targets_end_open(&e, ret, 1);
	ret[2] = ret[1] ? 0 : targets_end_look(&e, false, 0);
	targets_end_close(&e);
	return NULL;
}

/* It may become one between the look at its number and here. */
TEST(a_thread_is_no_process)
{
	pid_t seen[3] = { 0 };
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, tell_tid, seen), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_not_equal(seen[0], getpid());
	assert_int_equal(seen[1], 0);
	assert_true(seen[2]);
}

TEST(children_go_on)
{
	const pid_t pid = start();
	struct targets_end e;

	assert_int_equal(targets_end_open(&e, &pid, 1), 0);
	assert_false(targets_end_look(&e, true, 0));
	assert_false(targets_end_look(&e, true, 0));
	end(pid);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_false(targets_end_look(&e, true, 2));
	assert_false(targets_end_look(&e, true, 0)); /* one may only just have come */
	assert_false(targets_end_look(&e, true, 1));
	assert_false(targets_end_look(&e, true, 0));
	assert_true(targets_end_look(&e, true, 0));
	targets_end_close(&e);
}

TEST(nobody_is_named)
{
	struct targets_end e;

	assert_int_equal(targets_end_open(&e, NULL, 0), 0);
	assert_false(targets_end_look(&e, false, 0));
	targets_end_close(&e);
	assert_false(targets_end_look(&e, false, 0));
}
