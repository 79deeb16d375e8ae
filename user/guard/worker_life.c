// SPDX-License-Identifier: GPL-2.0-only
#include "guard/worker_life.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"

#define FIRST_MS 60000 /* for the first child to be there, on a machine however busy */

int worker_life_watch(const struct worker_life *l, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static void kill_by(int pidfd)
{
	syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
}

static void unwatch(struct worker_life *l, int fd)
{
	/* Explicitly, because the epoll would keep a socket of which another process still has a copy. */
	epoll_ctl(l->epoll, EPOLL_CTL_DEL, fd, NULL);
}

/* A child has begun. It may be one that was given up in the meantime. */
static void take_started(struct worker_life *l, const struct zygote_event *e, int *pidfd)
{
	if (l->socket < 0 || e->serial != l->serial) {
		kill_by(*pidfd);
		return;
	}
	l->child = e->pid;
	l->parser = e->parser;
	l->child_fd = TAKE_FD(*pidfd);
}

void worker_life_take_events(struct worker_life *l)
{
	struct zygote_event e;
	int err = 0;

	while (!l->lost && !err) {
		_cleanup_close_ int pidfd = -1;

		err = zygote_next(&l->zygote, &e, &pidfd);
		if (!err && e.type == ZYGOTE_STARTED && pidfd >= 0) {
			take_started(l, &e, &pidfd);
		} else if (!err && e.type == ZYGOTE_ENDED && l->made) {
			l->made--;
			l->ended_seconds += e.cpu_ns / (double)NS_PER_SECOND;
		}
	}
	if (!l->lost && err != -EAGAIN) {
		l->lost = true;
		unwatch(l, l->zygote.control);
	}
}

int worker_life_start_child(struct worker_life *l)
{
	_cleanup_close_ int ours = -1, theirs = -1;
	int pair[2], err;

	worker_life_take_events(l);
	if (l->made == ZYGOTE_WORKERS_MAX) /* killed, but held in the kernel, as by a hung file system */
		return -EBUSY;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	ours = pair[0];
	theirs = pair[1];
	err = worker_life_watch(l, ours);
	if (!err)
		err = zygote_ask(&l->zygote, ++l->serial, theirs);
	if (err)
		return err;
	l->made++;
	l->socket = TAKE_FD(ours);
	return 0;
}

void worker_life_end_child(struct worker_life *l)
{
	if (l->socket < 0)
		return;
	if (l->child_fd >= 0)
		kill_by(l->child_fd);
	cleanup_close(&l->child_fd);
	l->child_fd = -1;
	l->child = l->parser = 0;
	unwatch(l, l->socket);
	close(TAKE_FD(l->socket));
}

int worker_life_wait_for_first(struct worker_life *l)
{
	struct pollfd fd = { .fd = l->zygote.control, .events = POLLIN };
	int err = worker_life_start_child(l);

	while (!err && !l->child && !l->lost) {
		int n = poll(&fd, 1, FIRST_MS);

		if (!n)
			err = -ETIMEDOUT;
		else if (n < 0 && errno != EINTR)
			err = -errno;
		worker_life_take_events(l);
		if (!err && !l->made) /* it has ended before it began */
			err = -ECHILD;
	}
	if (l->lost)
		err = zygote_end(&l->zygote) ?: -EPIPE;
	return err;
}
