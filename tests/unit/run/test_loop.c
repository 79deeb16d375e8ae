// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_loop.c - the event loop: the clock, signals as events, descriptors, timeouts, and the way out for a
 * user who is in a hurry. Each test runs in a child, since a loop changes the signals of its process.
 */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "run/loop.h"

#define NEVER_MS 3600000

/* In a child, where cmocka's own checks cannot report. */
#define CHECK(condition)                                                                                     \
	do {                                                                                                 \
		if (!(condition)) {                                                                          \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                      \
			exit(99);                                                                            \
		}                                                                                            \
	} while (0)

static int run(void (*body)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		alarm(30);
		body();
		exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void passes(void **state)
{
	assert_int_equal(run((void (*)(void))(uintptr_t)*state), 0);
}

static void the_clock(void)
{
	struct loop l;
	double start = clock_seconds();

	CHECK(loop_open(&l, 20) == 0);
	for (int i = 0; i < 10; i++)
		CHECK(loop_wait(&l, 10000) == LOOP_TIMER);
	CHECK(clock_seconds() - start >= 0.19);
	/* What was missed comes once, not once for each interval. */
	usleep(200000);
	CHECK(loop_wait(&l, 0) == LOOP_TIMER);
	CHECK(loop_wait(&l, 0) == 0);
	loop_close(&l);
}

static void timeouts(void)
{
	struct loop l;
	double start;

	CHECK(loop_open(&l, NEVER_MS) == 0);
	CHECK(loop_wait(&l, 0) == 0);
	start = clock_seconds();
	CHECK(loop_wait(&l, 50) == 0);
	CHECK(clock_seconds() - start >= 0.049);
	CHECK(loop_signal(&l) == 0); /* does not wait */
	loop_close(&l);
}

static void signals_are_events(void)
{
	struct loop l;

	CHECK(loop_open(&l, NEVER_MS) == 0);
	CHECK(kill(getpid(), SIGTERM) == 0);
	CHECK(loop_wait(&l, -1) == LOOP_SIGNAL);
	CHECK(loop_wait(&l, 0) == LOOP_SIGNAL); /* until it is read */
	CHECK(loop_signal(&l) == SIGTERM);
	CHECK(loop_signal(&l) == 0);
	CHECK(loop_wait(&l, 0) == 0);
	CHECK(kill(getpid(), SIGINT) == 0);
	CHECK(kill(getpid(), SIGTERM) == 0);
	CHECK(loop_wait(&l, 10000) == LOOP_SIGNAL);
	CHECK(loop_signal(&l) + loop_signal(&l) == SIGINT + SIGTERM);
	CHECK(loop_signal(&l) == 0);
	if (!fork())
		_exit(0);
	CHECK(loop_wait(&l, 10000) == LOOP_SIGNAL);
	CHECK(loop_signal(&l) == SIGCHLD);
	CHECK(wait(NULL) > 0);
	loop_close(&l);
}

static void a_closed_pipe_is_no_end(void)
{
	struct loop l;
	int fds[2];

	CHECK(loop_open(&l, NEVER_MS) == 0);
	CHECK(pipe(fds) == 0);
	close(fds[0]);
	CHECK(write(fds[1], "x", 1) == -1 && errno == EPIPE);
	close(fds[1]);
	loop_close(&l);
}

static void descriptors(void)
{
	struct loop l;
	int kernel[2], worker[2];
	char byte;

	CHECK(loop_open(&l, NEVER_MS) == 0);
	CHECK(pipe(kernel) == 0 && pipe(worker) == 0);
	CHECK(loop_add(&l, kernel[0], LOOP_KERNEL) == 0);
	CHECK(loop_add(&l, worker[0], LOOP_WORKER) == 0);
	CHECK(loop_add(&l, worker[0], LOOP_WORKER) == -EEXIST);
	CHECK(loop_add(&l, -1, LOOP_WORKER) == -EBADF);
	CHECK(loop_wait(&l, 0) == 0);
	CHECK(write(kernel[1], "x", 1) == 1);
	CHECK(loop_wait(&l, 10000) == LOOP_KERNEL);
	CHECK(write(worker[1], "x", 1) == 1);
	CHECK(kill(getpid(), SIGTERM) == 0);
	CHECK(loop_wait(&l, 10000) == (LOOP_KERNEL | LOOP_WORKER | LOOP_SIGNAL)); /* all at once */
	CHECK(loop_signal(&l) == SIGTERM);
	CHECK(read(kernel[0], &byte, 1) == 1);
	CHECK(loop_wait(&l, 10000) == LOOP_WORKER);
	loop_remove(&l, worker[0]);
	CHECK(loop_wait(&l, 0) == 0);
	close(worker[1]);
	CHECK(loop_wait(&l, 0) == 0);
	close(kernel[1]); /* its end is an event too */
	CHECK(loop_wait(&l, 10000) == LOOP_KERNEL);
	loop_close(&l);
}

static void on_alarm(int signal)
{
	(void)signal;
}

/* A handler that ran meanwhile is not an error. */
static void interrupted(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct loop l;

	CHECK(loop_open(&l, NEVER_MS) == 0);
	CHECK(sigaction(SIGALRM, &action, NULL) == 0);
	alarm(1);
	CHECK(loop_wait(&l, 20000) == 0);
	loop_close(&l);
}

static int count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static void nothing_left(void)
{
	int before = count_fds(), failures = 0;
	struct rlimit old, tight;
	struct loop l;

	CHECK(loop_open(&l, 100) == 0);
	CHECK(count_fds() == before + 3);
	loop_close(&l);
	CHECK(count_fds() == before);
	loop_close(&l); /* twice is as once: the numbers may be others' by now */
	CHECK(l.epoll == -1 && l.signals == -1 && l.timer == -1);
	CHECK(getrlimit(RLIMIT_NOFILE, &old) == 0);
	tight = old;
	tight.rlim_cur = dup(0); /* the lowest free one */
	close(tight.rlim_cur);
	for (int err = -EMFILE; err; tight.rlim_cur++) {
		setrlimit(RLIMIT_NOFILE, &tight);
		err = loop_open(&l, 100);
		setrlimit(RLIMIT_NOFILE, &old);
		failures += err == -EMFILE;
		CHECK(err == -EMFILE || !err);
		if (!err)
			loop_close(&l);
		CHECK(count_fds() == before);
	}
	CHECK(failures >= 3); /* at each of its three descriptors */
	CHECK(loop_wait(&l, 0) == -EBADF);
	CHECK(loop_add(&l, 0, LOOP_WORKER) == -EBADF);
	CHECK(loop_signal(&l) == 0);
}

static void no_hurry_yet(void)
{
	struct loop l;

	CHECK(loop_open(&l, NEVER_MS) == 0);
	for (int i = 0; i < 5; i++) {
		CHECK(kill(getpid(), SIGINT) == 0);
		CHECK(loop_wait(&l, 10000) == LOOP_SIGNAL && loop_signal(&l) == SIGINT);
	}
	loop_close(&l);
}

static int hasty_signal;

static void hasty(void)
{
	struct loop l;

	CHECK(loop_open(&l, NEVER_MS) == 0);
	CHECK(kill(getpid(), hasty_signal) == 0);
	CHECK(loop_wait(&l, 10000) == LOOP_SIGNAL && loop_signal(&l) == hasty_signal);
	loop_hasty();
	kill(getpid(), hasty_signal);
	exit(98);
}

static void second_signal_ends_at_once(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		int status;

		hasty_signal = signals[i];
		status = run(hasty);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), signals[i]);
	}
}

#define IN_CHILD(f) { #f, passes, NULL, NULL, (void *)(uintptr_t)(f) }

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_CHILD(the_clock),
		IN_CHILD(timeouts),
		IN_CHILD(signals_are_events),
		IN_CHILD(a_closed_pipe_is_no_end),
		IN_CHILD(descriptors),
		IN_CHILD(interrupted),
		IN_CHILD(nothing_left),
		IN_CHILD(no_hurry_yet),
		cmocka_unit_test(second_signal_ends_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
