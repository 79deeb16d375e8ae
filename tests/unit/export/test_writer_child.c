// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_writer_child.c - a job in a child: its result comes back, its end is a SIGCHLD, nobody waits for it,
 * and nothing of this process is held by one that never ends.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "export/writer_child.h"
#include "tests/forge/test.h"

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

TEST(the_result_comes_back)
{
	char text[] = "some text", three[] = "abc";
	struct answer a = {};

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

TEST(nobody_waits)
{
	struct answer a;
	double start = clock_seconds();

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

TEST(a_crash_is_an_error)
{
	struct answer a;

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

TEST(holds_nothing_open)
{
	int many[20];
	struct answer a;

	for (int i = 0; i < 20; i++)
		many[i] = dup(STDERR_FILENO);
	assert_int_equal(writer_child_start(&writer, count_descriptors, NULL), 0);
	assert_int_equal(end(&a), 3);
	for (int i = 0; i < 20; i++)
		close(many[i]);
}

TEST(its_end_is_an_event)
{
	const struct timespec limit = { 60, 0 };
	char text[] = "x";
	struct answer a;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	assert_int_equal(sigprocmask(SIG_BLOCK, &set, NULL), 0);
	assert_int_equal(writer_child_start(&writer, say, text), 0);
	assert_int_equal(sigtimedwait(&set, NULL, &limit), SIGCHLD);
	assert_int_equal(writer_child_end(&writer, &a, sizeof(a)), 0);
	assert_int_equal(sigprocmask(SIG_UNBLOCK, &set, NULL), 0);
}

/* A child of this test starts one and dies; what it started becomes ours, and dies too. */
TEST(ends_with_its_parent)
{
	int status;
	pid_t pid;

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
