// SPDX-License-Identifier: GPL-2.0-only
#include "base/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"

/*
 * nohup ignores SIGHUP, and a shell ignores SIGINT of what it runs in the background: that is somebody's
 * wish.
 */
static bool was_ignored(int number)
{
	struct sigaction action;

	return !sigaction(number, NULL, &action) && action.sa_handler == SIG_IGN;
}

/*
 * A blocked signal is read as an event even though it is ignored, so those that were ignored are not
 * blocked.
 */
static int open_signals(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	sigset_t set;
	int fd;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGUSR2);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (!was_ignored(ends[i]))
			sigaddset(&set, ends[i]);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

static int open_timer(int interval_ms)
{
	struct timespec interval = { interval_ms / 1000, interval_ms % 1000 * 1000000L };
	struct itimerspec spec = { interval, interval };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd < 0)
		return -errno;
	if (timerfd_settime(fd, 0, &spec, NULL)) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

static int add(struct loop *l, int fd, uint32_t number)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u32 = number };

	return epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

int loop_open(struct loop *l, int interval_ms)
{
	int err;

	*l = (struct loop){ .epoll = -1, .signals = -1, .timer = -1, .schedstat = -1 };
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	err = l->epoll < 0 ? -errno : 0;
	if (!err) {
		l->signals = open_signals();
		err = l->signals < 0 ? l->signals : 0;
	}
	if (!err) {
		l->timer = open_timer(interval_ms);
		err = l->timer < 0 ? l->timer : add(l, l->timer, LOOP_ROWS_MAX);
	}
	if (err)
		loop_close(l);
	else
		l->schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	return err;
}

void loop_close(struct loop *l)
{
	int *fds[] = { &l->timer, &l->signals, &l->epoll, &l->schedstat };

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
	l->count = 0;
}

int loop_watch(struct loop *l, const struct loop_row *row)
{
	int err;

	if (l->count == LOOP_ROWS_MAX)
		return -ENOSPC;
	err = row->fd >= 0 ? add(l, row->fd, l->count) : 0;
	if (!err)
		l->rows[l->count++] = *row;
	return err;
}

static void do_nothing(void *context, unsigned int ready)
{
	(void)context;
	(void)ready;
}

/* The other rows keep their numbers, by which the epoll knows them. */
void loop_unwatch(struct loop *l, const void *context)
{
	for (size_t i = 0; l && i < l->count; i++) {
		struct loop_row *row = &l->rows[i];

		if (row->context != context)
			continue;
		if (row->fd >= 0)
			epoll_ctl(l->epoll, EPOLL_CTL_DEL, row->fd, NULL);
		*row = (struct loop_row){ .fd = -1, .run = do_nothing };
	}
}

/* The shorter one of two timeouts; -1 means no timeout. */
static int sooner(int a, int b)
{
	return b >= 0 && (a < 0 || b < a) ? b : a;
}

/* How long this thread has been ready to run without a CPU, ns. */
static __u64 queued_ns(const struct loop *l)
{
	unsigned long long ns = 0;
	char text[96] = "";

	if (l->schedstat < 0 || pread(l->schedstat, text, sizeof(text) - 1, 0) <= 0 ||
	    sscanf(text, "%*u %llu", &ns) != 1)
		return 0;
	return ns;
}

/* Readings of this thread's clocks, ns. */
struct stand {
	__u64 at, cpu, queued;
};

static struct stand stand_now(const struct loop *l)
{
	const __u64 at = clock_ns();

	return (struct stand){ at, clock_ns_of(CLOCK_THREAD_CPUTIME_ID), queued_ns(l) };
}

/* *waited grows by how long nobody had anything to do. */
static int wait_for_rows(struct loop *l, int timeout_ms, unsigned int *ready, struct stand *waited)
{
	struct epoll_event events[LOOP_ROWS_MAX + 1];
	struct stand begin, end;
	uint64_t ticks;
	int n;

	for (size_t i = 0; i < l->count; i++)
		if (l->rows[i].timeout_ms)
			timeout_ms = sooner(timeout_ms, l->rows[i].timeout_ms(l->rows[i].context));
	begin = stand_now(l);
	n = epoll_wait(l->epoll, events, ARRAY_SIZE(events), timeout_ms);
	end = stand_now(l);
	waited->at += end.at - begin.at;
	waited->queued += end.queued - begin.queued;
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	for (int i = 0; i < n; i++) {
		if (events[i].data.u32 < LOOP_ROWS_MAX)
			ready[events[i].data.u32] |= LOOP_READABLE;
		else if (read(l->timer, &ticks, sizeof(ticks)) > 0)
			for (size_t row = 0; row < l->count; row++)
				ready[row] |= LOOP_SECOND;
	}
	return 0;
}

int loop_turn(struct loop *l, int timeout_ms)
{
	unsigned int ready[LOOP_ROWS_MAX] = {};
	struct stand begin = stand_now(l), waited = {}, end;
	int err = wait_for_rows(l, timeout_ms, ready, &waited);

	for (size_t i = 0; !err && i < l->count; i++)
		l->rows[i].run(l->rows[i].context, ready[i]);
	end = stand_now(l);
	turn_times_add(&l->times, end.at - begin.at - waited.at, end.cpu - begin.cpu,
		       end.queued - begin.queued - waited.queued);
	return err;
}

int loop_signals_fd(const struct loop *l)
{
	return l->signals;
}

int loop_signal(struct loop *l)
{
	struct signalfd_siginfo info;

	return read(l->signals, &info, sizeof(info)) == sizeof(info) ? (int)info.ssi_signo : 0;
}

void loop_hasty(void)
{
	sigset_t set;

	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}
