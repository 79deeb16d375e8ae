// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_forbidden.c - who may be read, and what is said of who may not.
 */
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc/forbidden.h"
#include "tests/forge/child.h"
#include "tests/forge/refuse.h"
#include "tests/forge/test.h"

#define ANOTHER 65534
#define NOBODY 0x7ffffff0

/* In a child that has become another user: the first promise that does not hold, or 0. */
static int judge(pid_t of_root, pid_t of_another, pid_t closed)
{
	char text[FORBIDDEN_SIZE];

	if (setresuid(ANOTHER, ANOTHER, ANOTHER))
		return 1;
	if (!forbidden_is(of_root) || !strstr(forbidden_why(of_root, text), "it is another user's; "))
		return 2;
	if (!forbidden_is(closed) || !strstr(forbidden_why(closed, text), "it lets nobody read it (setuid, "))
		return 3;
	if (!strstr(forbidden_ways(text), "CAP_SYS_PTRACE"))
		return 4;
	return forbidden_is(of_another) || forbidden_is(getpid()) ? 5 : 0;
}

static bool lets_everyone(const void *user)
{
	/* Where there is no Yama, it need not be told. */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	return child_becomes(user) && !prctl(PR_SET_DUMPABLE, 1);
}

static bool lets_nobody(const void *user)
{
	return child_becomes(user) && !prctl(PR_SET_DUMPABLE, 0);
}

TEST(another_user)
{
	const uid_t another = ANOTHER;
	pid_t of_root, of_another, closed, child;
	int status;

	need_all_rights();
	of_root = child_of(0);
	of_another = child_start(lets_everyone, &another);
	closed = child_start(lets_nobody, &another);
	child = fork();
	if (!child)
		_exit(judge(of_root, of_another, closed));
	assert_int_equal(waitpid(child, &status, 0), child);
	child_end(of_root);
	child_end(of_another);
	child_end(closed);
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_true(WIFEXITED(status));
}

TEST(one_that_has_ended_is_not_forbidden)
{
	assert_false(forbidden_is(NOBODY));
}

/* In a child, where that cannot be undone. */
static int judge_without_the_call(int error, const char *says)
{
	const char *why;

	if (forbidden_everywhere())
		return 1;
	if (refuse(SYS_process_vm_readv, REFUSE_ANY, error))
		return 2;
	why = forbidden_everywhere();
	return why && strstr(why, says) ? 0 : 3;
}

TEST(where_nobody_can_be_read)
{
	static const struct {
		int error;
		const char *says;
	} cases[] = {
		{ EPERM, "which seccomp does (docker run --cap-add SYS_PTRACE allows it" },
		{ ENOSYS, "no process_vm_readv here" },
	};

	for (size_t i = 0; i < 2; i++) {
		const pid_t child = fork();
		int status;

		assert_true(child >= 0);
		if (!child)
			_exit(judge_without_the_call(cases[i].error, cases[i].says));
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
}
