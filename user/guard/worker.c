// SPDX-License-Identifier: GPL-2.0-only
/*
 * worker.c - the parent's side of worker.h. It has a queue, of which one request is under way, a deadline,
 * and a new child whenever the old one dies or is late, made by the zygote. What the child says is not
 * trusted: what it reads may have taken it over.
 */
#include "guard/worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "guard/reply.h"
#include "guard/usage.h"
#include "guard/zygote.h"

#define FIRST_MS 10000 /* for the first child to be there, on a machine however busy */
#define DOUBT_MS 100

struct worker {
	int epoll;	/* the caller waits for this: the child's socket and failure_fd */
	int failure_fd; /* readable while failure is set */
	int table_fd;	/* memfd into which the child puts line tables */
	struct zygote zygote;
	bool lost;	/* the zygote has ended, and with it every child */
	int socket;	/* -1 = there is no child */
	__u32 serial;	/* of the last child that was asked for */
	pid_t child;	/* 0 = none, or it has not begun yet */
	pid_t parser;	/* its parser; likewise */
	int child_fd;	/* pidfd; -1 likewise */
	unsigned int made;	/* children that were asked for and have not ended, killed ones included */
	double ended_seconds;	/* CPU time of those that have */
	bool busy;	/* queue[head] is with the child */
	int failure;	/* the error of queue[head], which the caller has not taken yet; 0 = none */
	__u64 deadline; /* ms, CLOCK_MONOTONIC */
	__u64 begin;	/* of the request under way, likewise */
	bool doubted;	/* it was late once, ... */
	__u64 waited;	/* ... and child and parser had waited for a CPU so long by then, ms */
	unsigned int head;
	unsigned int count;
	struct worker_request queue[WORKER_QUEUE];
};

static int watch(int epoll, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static void kill_by(int pidfd)
{
	syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
}

static void unwatch(struct worker *worker, int fd)
{
	/* Explicitly, because the epoll would keep a socket of which another process still has a copy. */
	epoll_ctl(worker->epoll, EPOLL_CTL_DEL, fd, NULL);
}

/* A child has begun. It may be one that was given up in the meantime. */
static void take_started(struct worker *worker, const struct zygote_event *e, int *pidfd)
{
	if (worker->socket < 0 || e->serial != worker->serial) {
		kill_by(*pidfd);
		return;
	}
	worker->child = e->pid;
	worker->parser = e->parser;
	worker->child_fd = TAKE_FD(*pidfd);
}

/* Takes what the zygote says. A child says there that it has begun before it answers anything. */
static void take_events(struct worker *worker)
{
	struct zygote_event e;
	int err = 0;

	while (!worker->lost && !err) {
		_cleanup_close_ int pidfd = -1;

		err = zygote_next(&worker->zygote, &e, &pidfd);
		if (!err && e.type == ZYGOTE_STARTED && pidfd >= 0) {
			take_started(worker, &e, &pidfd);
		} else if (!err && e.type == ZYGOTE_ENDED && worker->made) {
			worker->made--;
			worker->ended_seconds += e.cpu_ns / (double)NS_PER_SECOND;
		}
	}
	if (!worker->lost && err != -EAGAIN) {
		worker->lost = true;
		unwatch(worker, worker->zygote.control);
	}
}

static int start_child(struct worker *worker)
{
	_cleanup_close_ int ours = -1, theirs = -1;
	int pair[2], err;

	take_events(worker);
	if (worker->made == ZYGOTE_WORKERS_MAX) /* killed, but held in the kernel, as by a hung file system */
		return -EBUSY;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	ours = pair[0];
	theirs = pair[1];
	err = watch(worker->epoll, ours);
	if (!err)
		err = zygote_ask(&worker->zygote, ++worker->serial, theirs);
	if (err)
		return err;
	worker->made++;
	worker->socket = TAKE_FD(ours);
	return 0;
}

static void drop_child(struct worker *worker)
{
	if (worker->socket < 0)
		return;
	if (worker->child_fd >= 0)
		kill_by(worker->child_fd);
	cleanup_close(&worker->child_fd);
	worker->child_fd = -1;
	worker->child = worker->parser = 0;
	unwatch(worker, worker->socket);
	close(TAKE_FD(worker->socket));
}

static void fail(struct worker *worker, int error)
{
	__u64 one = 1;

	worker->busy = false;
	worker->failure = error;
	if (write(worker->failure_fd, &one, sizeof(one)) < 0)
		return; /* only when the counter is full, and then it is readable */
}

static int pass_on(struct worker *worker)
{
	int err;

	if (worker->socket < 0) {
		err = start_child(worker);
		if (err)
			return err;
	}
	if (send(worker->socket, &worker->queue[worker->head], sizeof(worker->queue[0]),
		 MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return -errno;
	return 0;
}

/* Hands the oldest request to the child, if it is free. */
static void dispatch(struct worker *worker)
{
	int err;

	if (worker->busy || worker->failure || !worker->count)
		return;
	err = pass_on(worker);
	if (err == -EPIPE || err == -ECONNRESET) {
		/* The child died while it was idle, which is not the fault of this request. */
		drop_child(worker);
		err = pass_on(worker);
	}
	if (err) {
		fail(worker, err);
		return;
	}
	worker->busy = true;
	worker->begin = clock_ms();
	worker->deadline = worker->begin + WORKER_DEADLINE_MS;
	worker->doubted = false;
}

int worker_send(struct worker *worker, const struct worker_request *request)
{
	if (request->type < WORKER_IDENTIFY || request->type >= WORKER_TYPES)
		return -EINVAL;
	if (worker->count == WORKER_QUEUE)
		return -EAGAIN;
	worker->queue[(worker->head + worker->count++) % WORKER_QUEUE] = *request;
	dispatch(worker);
	return 0;
}

static void finish(struct worker *worker)
{
	worker->busy = false;
	worker->head = (worker->head + 1) % WORKER_QUEUE;
	worker->count--;
	dispatch(worker);
}

/* They are copied, so that the next request cannot change them while the caller uses them. */
static int take_table(const struct worker *worker, struct worker_reply *reply)
{
	_cleanup_free_ __u8 *table = NULL;
	size_t size = reply->table_size;

	if (!reply_table_max(reply->type) || reply->error)
		return size ? -EPROTO : 0;
	if (size > reply_table_max(reply->type))
		return -EPROTO;
	table = malloc(size ? size : 1);
	if (!table)
		return -ENOMEM;
	if (pread(worker->table_fd, table, size, 0) != (ssize_t)size)
		return -EPROTO;
	if (size > LINETABLE_MAX && ftruncate(worker->table_fd, 0)) /* memory that is seldom needed */
		return -errno;
	reply->table = TAKE_PTR(table);
	return 0;
}

/*
 * Takes one message of the child. -EAGAIN if there is none. -EPIPE if the child has died or sends nonsense.
 */
static int read_reply(struct worker *worker, struct worker_reply *ret)
{
	size_t size = offsetof(struct worker_reply, table);
	ssize_t n;
	int err;

	n = recv(worker->socket, ret, size, MSG_DONTWAIT | MSG_TRUNC);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return -EAGAIN;
	ret->table = NULL;
	if (n != (ssize_t)size || !worker->busy || !reply_is_sane(ret, &worker->queue[worker->head]))
		return -EPIPE;
	err = take_table(worker, ret);
	if (err == -EPROTO)
		return -EPIPE;
	if (err)
		ret->error = err;
	return 0;
}

static void take_failure(struct worker *worker, struct worker_reply *ret)
{
	const struct worker_request *request = &worker->queue[worker->head];
	__u64 count;

	memset(ret, 0, sizeof(*ret));
	ret->type = request->type;
	ret->pid = request->pid;
	ret->tag = request->tag;
	ret->error = worker->failure;
	worker->failure = 0;
	if (read(worker->failure_fd, &count, sizeof(count)) < 0)
		return; /* non-blocking, and not needed */
}

int worker_receive(struct worker *worker, struct worker_reply *ret)
{
	_cleanup_free_ struct worker_reply *reply = NULL;
	int err;

	take_events(worker);
	reply = calloc(1, sizeof(*reply));
	if (!reply)
		return -ENOMEM;
	if (!worker->failure) {
		if (worker->socket < 0)
			return -EAGAIN;
		err = read_reply(worker, reply);
		if (err == -EAGAIN)
			return err;
		if (err) {
			drop_child(worker);
			if (!worker->busy)
				return -EAGAIN;
			fail(worker, err);
		}
	}
	if (worker->failure)
		take_failure(worker, reply);
	finish(worker);
	*ret = *reply;
	return 0;
}

int worker_timeout_ms(const struct worker *worker)
{
	__u64 now = clock_ms();

	if (!worker->busy)
		return -1;
	return worker->deadline > now ? (int)(worker->deadline - now) : 0;
}

/*
 * A child that waits for a CPU is not stuck, or for its parser that does: on a machine with a hundred busy
 * processes that may take seconds. It counts as waiting when it spent most of the last DOUBT_MS so.
 */
static bool is_late(struct worker *worker)
{
	__u64 now = clock_ms(), waited;

	if (now < worker->deadline)
		return false;
	if (now >= worker->begin + WORKER_PATIENCE_MS)
		return true;
	if (!worker->child) { /* it is being made */
		worker->deadline = now + DOUBT_MS;
		return false;
	}
	waited = usage_waited_ms(worker->child) + usage_waited_ms(worker->parser);
	if (worker->doubted && waited - worker->waited < DOUBT_MS / 2)
		return true;
	worker->doubted = true;
	worker->waited = waited;
	worker->deadline = now + DOUBT_MS;
	return false;
}

int worker_check_deadline(struct worker *worker)
{
	char byte;

	take_events(worker);
	if (!worker->busy || !is_late(worker))
		return 0;
	/*
	 * If this process was late itself, the reply is there already. The end of a dead child is noticed the
	 * same way.
	 */
	if (recv(worker->socket, &byte, sizeof(byte), MSG_DONTWAIT | MSG_PEEK) >= 0)
		return 0;
	drop_child(worker);
	fail(worker, -ETIMEDOUT);
	return 1;
}

int worker_fd(const struct worker *worker)
{
	return worker->epoll;
}

pid_t worker_pid(const struct worker *worker)
{
	return worker->child;
}

pid_t worker_parser_pid(const struct worker *worker)
{
	return worker->parser;
}

double worker_seconds(const struct worker *worker)
{
	return worker->ended_seconds + usage_seconds(worker->child) + usage_seconds(worker->parser);
}

bool worker_is_lost(const struct worker *worker)
{
	return worker->lost;
}

/* Waits for the first child, so that what keeps it from being made is known. */
static int wait_for_first(struct worker *worker)
{
	struct pollfd fd = { .fd = worker->zygote.control, .events = POLLIN };
	int err = start_child(worker);

	while (!err && !worker->child && !worker->lost) {
		int n = poll(&fd, 1, FIRST_MS);

		if (!n)
			err = -ETIMEDOUT;
		else if (n < 0 && errno != EINTR)
			err = -errno;
		take_events(worker);
		if (!err && !worker->made) /* it has ended before it began */
			err = -ECHILD;
	}
	if (worker->lost)
		err = zygote_end(&worker->zygote) ?: -EPIPE;
	return err;
}

static int open_all(struct worker *worker, const char *pod_logs)
{
	int err;

	worker->table_fd = memfd_create("pyperf-table", MFD_CLOEXEC);
	if (worker->table_fd < 0)
		return -errno;
	err = zygote_start(&worker->zygote, worker->table_fd, pod_logs);
	if (err)
		return err;
	worker->epoll = epoll_create1(EPOLL_CLOEXEC);
	worker->failure_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (worker->epoll < 0 || worker->failure_fd < 0)
		return -errno;
	return watch(worker->epoll, worker->failure_fd) ?: watch(worker->epoll, worker->zygote.control);
}

int worker_start(struct worker **ret, const char *pod_logs)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	int err;

	if (!worker)
		return -ENOMEM;
	worker->socket = worker->child_fd = worker->epoll = worker->failure_fd = worker->table_fd = -1;
	err = open_all(worker, pod_logs);
	if (!err)
		err = wait_for_first(worker);
	if (err) {
		worker_stop(worker);
		return err;
	}
	*ret = worker;
	return 0;
}

void worker_stop(struct worker *worker)
{
	if (!worker)
		return;
	drop_child(worker);
	zygote_end(&worker->zygote);
	cleanup_close(&worker->epoll);
	cleanup_close(&worker->failure_fd);
	cleanup_close(&worker->table_fd);
	free(worker);
}
