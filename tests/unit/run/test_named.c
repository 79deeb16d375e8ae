// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_named.c - what is said of a thread that --pid names.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "run/named.h"
#include "tests/forge/all_rights.h"
#include "tests/forge/logged.h"
#include "tests/forge/test.h"

#define NOBODY 0x7ffffff0

struct seen {
	pthread_barrier_t begun, ends;
	pid_t tid;
};

static void *live(void *seen)
{
	struct seen *s = seen;

	s->tid = gettid();
	pthread_barrier_wait(&s->begun);
	pthread_barrier_wait(&s->ends);
	return NULL;
}

TEST(a_thread_is_none)
{
	char expected[128];
	pthread_t thread;
	struct seen s;
	int err = 0;

	pthread_barrier_init(&s.begun, NULL, 2);
	pthread_barrier_init(&s.ends, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, live, &s), 0);
	pthread_barrier_wait(&s.begun);
	snprintf(expected, sizeof(expected),
		 "pyperf-bpf: error: %d is a thread of process %d: name the process, --pid %d\n", s.tid,
		 getpid(), getpid());
	assert_string_equal(LOGGED(err = named_check((pid_t[]){ getppid(), s.tid }, 2)), expected);
	assert_int_equal(err, -EINVAL);
	pthread_barrier_wait(&s.ends);
	pthread_join(thread, NULL);
}

TEST(processes_are_fine)
{
	int err = -1;

	assert_string_equal(LOGGED(err = named_check((pid_t[]){ 1, getpid(), NOBODY }, 3)), "");
	assert_int_equal(err, 0);
	assert_int_equal(named_check(NULL, 0), 0);
}

#define ANOTHER 65534

/* Ends with 0 if another user may not read a process of root, and it is no matter beside one that it may. */
static void judge_as_another_user(void)
{
	const pid_t root = getppid();
	char text[512];
	int err = 0;

	if (setresgid(ANOTHER, ANOTHER, ANOTHER) || setresuid(ANOTHER, ANOTHER, ANOTHER))
		_exit(2);
	snprintf(text, sizeof(text), "%s", LOGGED(err = named_check_readable(&root, 1)));
	if (err != -EACCES || !strstr(text, "error: nothing can be sampled: process ") ||
	    !strstr(text, "it is another user's; "))
		_exit(3);
	if (named_check_readable((pid_t[]){ root, getpid() }, 2))
		_exit(4);
	_exit(0);
}

TEST(of_another_user)
{
	int status;
	pid_t child;

	need_all_rights();
	child = fork();
	if (!child)
		judge_as_another_user();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

TEST(those_that_may_be_read)
{
	int err = -1;

	assert_string_equal(LOGGED(err = named_check_readable((pid_t[]){ getpid(), NOBODY }, 2)), "");
	assert_int_equal(err, 0);
	assert_int_equal(named_check_readable((pid_t[]){ NOBODY }, 1), 0);
	assert_int_equal(named_check_readable(NULL, 0), 0);
}
