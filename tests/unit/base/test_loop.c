// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_loop.c - the event loop: the clock, signals as events, descriptors, timeouts, and the way out for a
 * user who is in a hurry. Each test runs in a child, since a loop changes the signals of its process.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/loop.h"
#include "base/clock.h"
#include "base/cleanup.h"
#include "tests/forge/own_fds.h"
#include "tests/forge/test.h"

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

#define TEST_IN_CHILD(name)                               \
	static void name##_in_child(void);                \
	TEST(name)                                        \
	{                                                 \
		assert_int_equal(run(name##_in_child), 0); \
	}                                                 \
	static void name##_in_child(void)

/* A row that notes what it was called with. */
struct noted {
	int fd, wanted_ms;
	unsigned int ready;
	int calls, order;
};

static int called;

static int noted_timeout(void *context)
{
	return ((struct noted *)context)->wanted_ms;
}

static void noted_run(void *context, unsigned int ready)
{
	struct noted *n = context;

	n->ready = ready;
	n->calls++;
	n->order = ++called;
}

static void watch(struct loop *l, struct noted *n)
{
	const struct loop_row row = { n->fd, noted_timeout, noted_run, n };

	CHECK(loop_watch(l, &row) == 0);
}

TEST_IN_CHILD(the_clock)
{
	struct noted n = { .fd = -1, .wanted_ms = -1 };
	double start = clock_seconds();
	struct loop l;

	CHECK(loop_open(&l, 20) == 0);
	watch(&l, &n);
	for (int i = 0; i < 10; i++) {
		CHECK(loop_turn(&l, 10000) == 0);
		CHECK(n.ready == LOOP_SECOND);
	}
	CHECK(clock_seconds() - start >= 0.19);
	loop_close(&l);
	/* What was missed comes once, not once for each interval. */
	CHECK(loop_open(&l, 200) == 0);
	watch(&l, &n);
	usleep(500000);
	CHECK(loop_turn(&l, 0) == 0 && n.ready == LOOP_SECOND);
	CHECK(loop_turn(&l, 0) == 0 && !n.ready);
	loop_close(&l);
}

/* The shortest of all timeouts counts, and a row without one never shortens it. */
TEST_IN_CHILD(timeouts)
{
	struct noted never = { .fd = -1, .wanted_ms = -1 }, soon = { .fd = -1, .wanted_ms = 50 };
	const struct loop_row plain = { -1, NULL, noted_run, &never };
	struct loop l;
	double start;

	CHECK(loop_open(&l, NEVER_MS) == 0);
	watch(&l, &never);
	CHECK(loop_watch(&l, &plain) == 0);
	CHECK(loop_turn(&l, 0) == 0 && never.calls == 2 && !never.ready);
	start = clock_seconds();
	CHECK(loop_turn(&l, 60) == 0);
	CHECK(clock_seconds() - start >= 0.059);
	watch(&l, &soon);
	start = clock_seconds();
	CHECK(loop_turn(&l, -1) == 0);
	CHECK(clock_seconds() - start >= 0.049);
	CHECK(soon.calls == 1 && !soon.ready);
	soon.wanted_ms = 0;
	CHECK(loop_turn(&l, NEVER_MS) == 0);
	CHECK(loop_signal(&l) == 0); /* does not wait */
	loop_close(&l);
}

static bool has_signal(struct loop *l, struct noted *n)
{
	CHECK(loop_turn(l, 10000) == 0);
	return n->ready & LOOP_READABLE;
}

TEST_IN_CHILD(signals_are_events)
{
	struct noted n = { .wanted_ms = -1 };
	struct loop l;

	CHECK(loop_open(&l, NEVER_MS) == 0);
	n.fd = loop_signals_fd(&l);
	watch(&l, &n);
	CHECK(kill(getpid(), SIGTERM) == 0);
	CHECK(has_signal(&l, &n));
	CHECK(has_signal(&l, &n)); /* until it is read */
	CHECK(loop_signal(&l) == SIGTERM);
	CHECK(loop_signal(&l) == 0);
	CHECK(loop_turn(&l, 0) == 0 && !n.ready);
	CHECK(kill(getpid(), SIGINT) == 0);
	CHECK(kill(getpid(), SIGTERM) == 0);
	CHECK(has_signal(&l, &n));
	CHECK(loop_signal(&l) + loop_signal(&l) == SIGINT + SIGTERM);
	CHECK(loop_signal(&l) == 0);
	if (!fork())
		_exit(0);
	CHECK(has_signal(&l, &n));
	CHECK(loop_signal(&l) == SIGCHLD);
	CHECK(wait(NULL) > 0);
	loop_close(&l);
}

/* As under nohup, and in the background of a shell without job control. */
TEST_IN_CHILD(what_was_ignored_stays_so)
{
	struct noted n = { .wanted_ms = -1 };
	struct loop l;

	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	CHECK(loop_open(&l, NEVER_MS) == 0);
	n.fd = loop_signals_fd(&l);
	watch(&l, &n);
	CHECK(kill(getpid(), SIGHUP) == 0 && kill(getpid(), SIGINT) == 0);
	CHECK(loop_turn(&l, 0) == 0 && !n.ready);
	CHECK(kill(getpid(), SIGTERM) == 0);
	CHECK(has_signal(&l, &n) && loop_signal(&l) == SIGTERM && !loop_signal(&l));
	loop_close(&l);
}

TEST_IN_CHILD(a_closed_pipe_is_no_end)
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

TEST_IN_CHILD(descriptors)
{
	struct noted first = { .wanted_ms = -1 }, second = { .wanted_ms = -1 };
	const struct loop_row twice = { 0, NULL, noted_run, &first };
	struct loop_row bad = { 12345, NULL, noted_run, &first };
	int one[2], two[2];
	struct loop l;
	char byte;

	CHECK(loop_open(&l, NEVER_MS) == 0);
	CHECK(pipe(one) == 0 && pipe(two) == 0);
	first.fd = one[0];
	second.fd = two[0];
	watch(&l, &first);
	watch(&l, &second);
	CHECK(loop_watch(&l, &bad) == -EBADF);
	bad.fd = one[0];
	CHECK(loop_watch(&l, &bad) == -EEXIST);
	CHECK(loop_turn(&l, 0) == 0 && first.calls == 1); /* what was refused has no row */
	CHECK(write(one[1], "x", 1) == 1);
	CHECK(loop_turn(&l, 10000) == 0 && first.ready == LOOP_READABLE && !second.ready);
	CHECK(write(two[1], "x", 1) == 1);
	CHECK(loop_turn(&l, 10000) == 0 && first.ready == LOOP_READABLE && second.ready == LOOP_READABLE);
	CHECK(first.order < second.order); /* as they were added */
	CHECK(read(one[0], &byte, 1) == 1);
	CHECK(loop_turn(&l, 10000) == 0 && !first.ready && second.ready == LOOP_READABLE);
	CHECK(read(two[0], &byte, 1) == 1);
	close(one[1]); /* its end is an event too */
	CHECK(loop_turn(&l, 10000) == 0 && first.ready == LOOP_READABLE);
	loop_close(&l);
	CHECK(loop_watch(&l, &twice) == -EBADF);
}

/* Its descriptor wakes nobody any more, and may be watched again; the others keep theirs. */
TEST_IN_CHILD(a_row_that_goes)
{
	struct noted first = { .wanted_ms = -1 }, second = { .wanted_ms = 0 }, third = { .wanted_ms = -1 };
	int one[2], two[2];
	struct loop l;

	CHECK(loop_open(&l, NEVER_MS) == 0);
	CHECK(pipe(one) == 0 && pipe(two) == 0);
	first.fd = one[0];
	second.fd = -1;
	third.fd = two[0];
	watch(&l, &first);
	watch(&l, &second);
	watch(&l, &third);
	CHECK(write(one[1], "x", 1) == 1 && write(two[1], "x", 1) == 1);
	CHECK(loop_turn(&l, 0) == 0 && first.calls == 1 && second.calls == 1 && third.calls == 1);
	loop_unwatch(&l, &first);
	loop_unwatch(&l, &second);
	loop_unwatch(&l, &second);
	loop_unwatch(NULL, &third);
	CHECK(loop_turn(&l, 10000) == 0);
	CHECK(first.calls == 1 && second.calls == 1 && third.calls == 2 && third.ready == LOOP_READABLE);
	watch(&l, &first);
	CHECK(loop_turn(&l, 10000) == 0 && first.calls == 2 && first.ready == LOOP_READABLE);
	loop_close(&l);
}

TEST_IN_CHILD(there_is_room_for_so_many)
{
	struct noted n = { .fd = -1, .wanted_ms = -1 };
	const struct loop_row row = { -1, NULL, noted_run, &n };
	struct loop l;

	CHECK(loop_open(&l, NEVER_MS) == 0);
	for (int i = 0; i < LOOP_ROWS_MAX; i++)
		CHECK(loop_watch(&l, &row) == 0);
	CHECK(loop_watch(&l, &row) == -ENOSPC);
	CHECK(loop_turn(&l, 0) == 0 && n.calls == LOOP_ROWS_MAX);
	loop_close(&l);
}

static void on_alarm(int signal)
{
	(void)signal;
}

/* A handler that ran meanwhile is not an error. */
TEST_IN_CHILD(interrupted)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct noted n = { .fd = -1, .wanted_ms = -1 };
	struct loop l;

	CHECK(loop_open(&l, NEVER_MS) == 0);
	watch(&l, &n);
	CHECK(sigaction(SIGALRM, &action, NULL) == 0);
	alarm(1);
	CHECK(loop_turn(&l, 20000) == 0 && n.calls == 1);
	loop_close(&l);
}

static void sleeping_run(void *context, unsigned int ready)
{
	(void)context;
	(void)ready;
	usleep(30000);
}

static void busy_run(void *context, unsigned int ready)
{
	const __u64 end = clock_ns_of(CLOCK_THREAD_CPUTIME_ID) + 20 * NS_PER_MS;

	(void)context;
	(void)ready;
	while (clock_ns_of(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

/* What the rows do counts, and the waiting does not. */
TEST_IN_CHILD(turns_are_timed)
{
	struct noted n = { .fd = -1, .wanted_ms = -1 };
	const struct loop_row slow = { -1, NULL, sleeping_run, NULL }, busy = { -1, NULL, busy_run, NULL };
	struct loop l;

	CHECK(loop_open(&l, NEVER_MS) == 0);
	watch(&l, &n);
	CHECK(l.times.count == 0);
	for (int i = 0; i < 5; i++)
		CHECK(loop_turn(&l, 100) == 0);
	CHECK(l.times.count == 5);
	CHECK(l.times.sum_ns < 5 * 90 * NS_PER_MS);
	CHECK(loop_watch(&l, &slow) == 0);
	CHECK(loop_turn(&l, 0) == 0);
	CHECK(l.times.count == 6);
	CHECK(l.times.max_ns >= 30 * NS_PER_MS && l.times.sum_ns >= l.times.max_ns);
	CHECK(turn_times_quantile(&l.times, 0.99) >= 24 * NS_PER_MS);
	CHECK(l.times.cpu_max_ns < 20 * NS_PER_MS);
	CHECK(loop_watch(&l, &busy) == 0);
	CHECK(loop_turn(&l, 0) == 0);
	CHECK(l.times.cpu_max_ns >= 20 * NS_PER_MS);
	CHECK(l.times.own_max_ns >= 30 * NS_PER_MS && l.times.own_max_ns <= l.times.max_ns);
	loop_close(&l);
}

/* One that has to wait for the only CPU that it may use takes long, and not by its own fault. */
TEST_IN_CHILD(waiting_for_a_cpu_is_told_apart)
{
	const struct loop_row busy = { -1, NULL, busy_run, NULL };
	pid_t others[8];
	cpu_set_t one;
	struct loop l;

	if (access("/proc/thread-self/schedstat", R_OK)) {
		printf("SKIP: this kernel has no CONFIG_SCHED_INFO\n");
		return;
	}
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	CHECK(sched_setaffinity(0, sizeof(one), &one) == 0);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		others[i] = fork();
		CHECK(others[i] >= 0);
		if (!others[i])
			alarm(20); /* should this test end before it can end them */
		while (!others[i])
			;
	}
	CHECK(loop_open(&l, NEVER_MS) == 0);
	CHECK(loop_watch(&l, &busy) == 0);
	for (int i = 0; i < 5; i++)
		CHECK(loop_turn(&l, 0) == 0);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		kill(others[i], SIGKILL);
		CHECK(waitpid(others[i], NULL, 0) == others[i]);
	}
	CHECK(l.times.max_ns > 60 * NS_PER_MS); /* beside eight others it should be some 180 ms */
	CHECK(l.times.own_max_ns >= 20 * NS_PER_MS && l.times.own_max_ns < l.times.max_ns / 2);
	loop_close(&l);
}

TEST_IN_CHILD(nothing_left)
{
	int before = count_fds(), failures = 0;
	struct rlimit old, tight;
	struct loop l;

	CHECK(loop_open(&l, 100) == 0);
	CHECK(count_fds() == before + 3 + (l.schedstat >= 0));
	loop_close(&l);
	CHECK(count_fds() == before);
	loop_close(&l); /* twice is as once: the numbers may be others' by now */
	CHECK(l.epoll == -1 && l.signals == -1 && l.timer == -1 && l.schedstat == -1);
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
	CHECK(loop_turn(&l, 0) == -EBADF);
	CHECK(loop_signal(&l) == 0);
}

TEST_IN_CHILD(no_hurry_yet)
{
	struct noted n = { .wanted_ms = -1 };
	struct loop l;

	CHECK(loop_open(&l, NEVER_MS) == 0);
	n.fd = loop_signals_fd(&l);
	watch(&l, &n);
	for (int i = 0; i < 5; i++) {
		CHECK(kill(getpid(), SIGINT) == 0);
		CHECK(has_signal(&l, &n) && loop_signal(&l) == SIGINT);
	}
	loop_close(&l);
}

static int hasty_signal;

static void hasty(void)
{
	struct noted n = { .wanted_ms = -1 };
	struct loop l;

	CHECK(loop_open(&l, NEVER_MS) == 0);
	n.fd = loop_signals_fd(&l);
	watch(&l, &n);
	CHECK(kill(getpid(), hasty_signal) == 0);
	CHECK(has_signal(&l, &n) && loop_signal(&l) == hasty_signal);
	loop_hasty();
	kill(getpid(), hasty_signal);
	exit(98);
}

TEST(second_signal_ends_at_once)
{
	static const int signals[] = { SIGINT, SIGTERM };

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		int status;

		hasty_signal = signals[i];
		status = run(hasty);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), signals[i]);
	}
}

static int begin(void **state)
{
	(void)state;
	signal(SIGINT, SIG_DFL); /* shells let what they run in the background ignore it */
	signal(SIGTERM, SIG_DFL);
	return 0;
}

AROUND_ALL(begin, NULL);
