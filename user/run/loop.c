// SPDX-License-Identifier: GPL-2.0-only
#include "run/loop.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int open_signals(void)
{
	sigset_t set;
	int fd;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
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

int loop_open(struct loop *l, int interval_ms)
{
	int err;

	*l = (struct loop){ -1, -1, -1 };
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	err = l->epoll < 0 ? -errno : 0;
	if (!err) {
		l->signals = open_signals();
		err = l->signals < 0 ? l->signals : loop_add(l, l->signals, LOOP_SIGNAL);
	}
	if (!err) {
		l->timer = open_timer(interval_ms);
		err = l->timer < 0 ? l->timer : loop_add(l, l->timer, LOOP_TIMER);
	}
	if (err)
		loop_close(l);
	return err;
}

void loop_close(struct loop *l)
{
	int *fds[] = { &l->timer, &l->signals, &l->epoll };

	for (int i = 0; i < 3; i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

int loop_add(struct loop *l, int fd, enum loop_source source)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u32 = source };

	return epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

void loop_remove(struct loop *l, int fd)
{
	epoll_ctl(l->epoll, EPOLL_CTL_DEL, fd, NULL);
}

int loop_wait(struct loop *l, int timeout_ms)
{
	struct epoll_event events[8];
	int n = epoll_wait(l->epoll, events, 8, timeout_ms), sources = 0;
	uint64_t ticks;

	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	for (int i = 0; i < n; i++)
		sources |= events[i].data.u32;
	if (sources & LOOP_TIMER && read(l->timer, &ticks, sizeof(ticks)) < 0)
		sources &= ~LOOP_TIMER;
	return sources;
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
