// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_writer_child.c - a job in a child: its result comes back, its end is a SIGCHLD, nobody waits for it,
 * and nothing of this process is held by one that never ends.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "export/writer_child.h"

static struct writer_child writer;

struct answer {
	char text[64];
	pid_t pid;
};

static int end(struct answer *ret)
{
	int err;

	while ((err = writer_child_end(&writer, ret, sizeof(*ret))) == -EINPROGRESS)
		usleep(1000);
	return err;
}

static int say(void *context, void *result)
{
	struct answer *a = result;

	snprintf(a->text, sizeof(a->text), "%s", (const char *)context);
	a->pid = getpid();
	*(char *)context = '!'; /* of its own copy */
	return strlen(a->text) == 3 ? -ENOSPC : 0;
}

static void the_result_comes_back(void **state)
{
	char text[] = "some text", three[] = "abc";
	struct answer a = {};

	(void)state;
	assert_int_equal(writer_child_end(&writer, &a, sizeof(a)), -EINPROGRESS); /* none has begun */
	assert_int_equal(writer_child_start(&writer, say, text), 0);
	assert_int_equal(end(&a), 0);
	assert_string_equal(a.text, "some text");
	assert_int_not_equal(a.pid, getpid());
	assert_string_equal(text, "some text");
	assert_int_equal(writer_child_start(&writer, say, three), 0);
	assert_int_equal(end(&a), -ENOSPC);
	assert_string_equal(a.text, "abc");
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nobody is left */
}

static int hang(void *context, void *result)
{
	(void)context;
	(void)result;
	while (pause())
		;
	return 0;
}

static void nobody_waits(void **state)
{
	struct answer a;
	double start = clock_seconds();

	(void)state;
	assert_int_equal(writer_child_start(&writer, hang, NULL), 0);
	assert_int_equal(writer_child_end(&writer, &a, sizeof(a)), -EINPROGRESS);
	assert_int_equal(writer_child_start(&writer, hang, NULL), -EBUSY);
	writer_child_abandon(&writer);
	assert_true(clock_seconds() - start < 5);
	assert_int_equal(writer.child, 0);
	writer_child_abandon(&writer); /* none */
	assert_int_equal(writer_child_end(&writer, &a, sizeof(a)), -EINPROGRESS);
	assert_int_equal(writer_child_start(&writer, hang, NULL), 0); /* the next one has a page of its own */
	writer_child_abandon(&writer);
	while (writer.undead_count) {
		char text[] = "x";

		usleep(1000);
		assert_int_equal(writer_child_start(&writer, say, text), 0);
		assert_int_equal(end(&a), 0);
	}
}

static int crash(void *context, void *result)
{
	(void)context;
	(void)result;
	signal(SIGABRT, SIG_DFL);
	abort();
}

static void a_crash_is_an_error(void **state)
{
	struct answer a;

	(void)state;
	assert_int_equal(writer_child_start(&writer, crash, NULL), 0);
	assert_int_equal(end(&a), -EIO);
}

static int count_descriptors(void *context, void *result)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	(void)context;
	(void)result;
	for (struct dirent *e; (e = readdir(d));)
		n += *e->d_name != '.';
	return n - 1; /* that of d */
}

static void holds_nothing_open(void **state)
{
	int many[20];
	struct answer a;

	(void)state;
	for (int i = 0; i < 20; i++)
		many[i] = dup(STDERR_FILENO);
	assert_int_equal(writer_child_start(&writer, count_descriptors, NULL), 0);
	assert_int_equal(end(&a), 3);
	for (int i = 0; i < 20; i++)
		close(many[i]);
}

static void its_end_is_an_event(void **state)
{
	const struct timespec limit = { 60, 0 };
	char text[] = "x";
	struct answer a;
	sigset_t set;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	assert_int_equal(sigprocmask(SIG_BLOCK, &set, NULL), 0);
	assert_int_equal(writer_child_start(&writer, say, text), 0);
	assert_int_equal(sigtimedwait(&set, NULL, &limit), SIGCHLD);
	assert_int_equal(writer_child_end(&writer, &a, sizeof(a)), 0);
	assert_int_equal(sigprocmask(SIG_UNBLOCK, &set, NULL), 0);
}

/* A child of this test starts one and dies; what it started becomes ours, and dies too. */
static void ends_with_its_parent(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	pid = fork();
	if (!pid) {
		writer_child_start(&writer, hang, NULL);
		usleep(100000); /* until it has asked to be told */
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(waitpid(-1, &status, 0) > 0);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_result_comes_back),
		cmocka_unit_test(nobody_waits),
		cmocka_unit_test(a_crash_is_an_error),
		cmocka_unit_test(holds_nothing_open),
		cmocka_unit_test(its_end_is_an_event),
		cmocka_unit_test(ends_with_its_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
