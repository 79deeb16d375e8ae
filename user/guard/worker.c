// SPDX-License-Identifier: GPL-2.0-only
/*
 * worker.c - the parent's side of worker.h. Requests wait for their turn (fair_queue.h). One is under way,
 * and has a deadline. There is a new child whenever the old one dies or is late, made by the zygote. What the
 * child says is not trusted: what it reads may have taken it over.
 */
#include "guard/worker.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "guard/fair_queue.h"
#include "guard/reply.h"
#include "guard/usage.h"
#include "guard/worker_life.h"
#include "proc/owner.h"

#define DOUBT_MS 100
#define OWNER_MS 1000 /* for so long the owner of a process is taken to be the same */

struct worker {
	struct worker_life life; /* its child; life.epoll has failure_fd, too */
	int failure_fd;		 /* readable while failure is set */
	int table_fd;		 /* memfd into which the child puts tables */
	struct fair_queue *turns;
	__u64 dropped;			/* tag of a request that has lost its place, 0 = none */
	struct worker_request *current; /* has its turn, with as many bytes as its kind has; NULL = none */
	bool busy;			/* it is with the child */
	int failure;			/* its error, which the caller has not taken yet; 0 = none */
	__u64 deadline;			/* ms, CLOCK_MONOTONIC */
	__u64 begin;			/* of the request under way: ms, CLOCK_MONOTONIC */
	bool doubted;			/* it was late once, ... */
	struct usage then;   /* ... and child and parser had used and wanted so much of the CPUs by then */
	__u64 waited_before; /* the request under way: the same */
	struct {
		pid_t pid;
		__u64 start, owner, until;
	} asked; /* the process that was asked about last, and whose it was */
};

/* For how long child and parser have waited for a CPU, ms. */
static __u64 waited_ms(const struct worker *worker)
{
	return usage_waited_ms(worker->life.child) + usage_waited_ms(worker->life.parser);
}

static struct usage usage(const struct worker *worker)
{
	const struct worker_life *l = &worker->life;

	return (struct usage){
		.at_ms = clock_ms(),
		.waited_ms = waited_ms(worker),
		.seconds = worker_seconds(worker),
		.is_ready = usage_is_ready(l->child) || usage_is_ready(l->parser),
	};
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
	const struct worker_request *request;
	int err;

	if (worker->life.socket < 0) {
		err = worker_life_start_child(&worker->life);
		if (err)
			return err;
	}
	request = worker->current;
	if (send(worker->life.socket, request, request_row(request->type)->size,
		 MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return -errno;
	return 0;
}

/* Hands the request whose turn it is to the child, if it is free. */
static void dispatch(struct worker *worker)
{
	int err;

	if (worker->current)
		return;
	worker->current = fair_queue_next(worker->turns, clock_ms());
	if (!worker->current)
		return;
	worker->begin = clock_ms();
	worker->waited_before = waited_ms(worker);
	err = pass_on(worker);
	if (err == -EPIPE || err == -ECONNRESET) {
		/* The child died while it was idle, which is not the fault of this request. */
		worker_life_end_child(&worker->life);
		err = pass_on(worker);
	}
	if (err) {
		fail(worker, err);
		return;
	}
	worker->busy = true;
	worker->deadline = worker->begin + WORKER_DEADLINE_MS;
	worker->doubted = false;
}

static __u64 owner(struct worker *worker, const struct worker_request *request)
{
	const pid_t pid = (pid_t)request->pid;
	const __u64 now = clock_ms();

	if (worker->asked.pid != pid || worker->asked.start != request->start_ticks ||
	    now >= worker->asked.until) {
		worker->asked.pid = pid;
		worker->asked.start = request->start_ticks;
		worker->asked.owner = owner_of(pid);
		worker->asked.until = now + OWNER_MS;
	}
	return worker->asked.owner;
}

/* A request has a layout in it, which begins at a line of the cache: malloc() promises less. */
static size_t rounded_up(size_t size)
{
	const size_t line = _Alignof(struct worker_request);

	return (size + line - 1) & ~(line - 1);
}

int worker_send(struct worker *worker, const struct worker_request *request)
{
	const struct request_row *row = request_row(request->type);
	_cleanup_free_ struct worker_request *copy = NULL, *displaced = NULL;
	void *other = NULL;
	struct queue_asker of;
	int err;

	if (!row)
		return -EINVAL;
	of = (struct queue_asker){ .user = owner(worker, request), .pid = request->pid,
				   .identity = request->type == WORKER_IDENTIFY && !request->identity.again,
				   .start = request->start_ticks };
	if (of.identity) {
		of.program = request->identity.program;
		of.patient = request->identity.patient;
	}
	copy = aligned_alloc(_Alignof(struct worker_request), rounded_up(row->size));
	if (!copy)
		return -ENOMEM;
	memcpy(copy, request, row->size);
	err = fair_queue_add(worker->turns, &of, copy, &other);
	if (err)
		return err;
	copy = NULL;
	displaced = other;
	if (displaced)
		worker->dropped = displaced->tag;
	dispatch(worker);
	return 0;
}

__u64 worker_take_dropped(struct worker *worker)
{
	const __u64 tag = worker->dropped;

	worker->dropped = 0;
	return tag;
}

/* How long the request under way has taken, without the time for which it waited for a CPU. */
static __u64 took_ms(const struct worker *worker)
{
	const __u64 took = clock_ms() - worker->begin;
	__u64 waited;

	if (took <= QUEUE_FREE_MS)
		return took;
	waited = waited_ms(worker);
	waited = waited > worker->waited_before ? waited - worker->waited_before : 0;
	return took > waited ? took - waited : 0;
}

/* failed: it ended the child. */
static void finish(struct worker *worker, bool failed)
{
	__u64 took = took_ms(worker);

	if (failed && took > WORKER_DEADLINE_MS) /* nobody knows any more how long it waited */
		took = WORKER_DEADLINE_MS;
	fair_queue_used(worker->turns, clock_ms(), took, failed);
	worker->busy = false;
	free(TAKE_PTR(worker->current));
	dispatch(worker);
}

/* They are copied, so that the next request cannot change them while the caller uses them. */
static int take_table(const struct worker *worker, struct worker_reply *reply)
{
	_cleanup_free_ __u8 *table = NULL;
	const struct request_row *row = request_row(reply->type);
	size_t size = reply->table_size;

	if (row->answer != ANSWER_TABLE || reply->error)
		return size ? -EPROTO : 0;
	if (size > row->table_max)
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
 * Takes one message of the child; *ret is all 0. -EAGAIN if there is none. -EPIPE if the child has died or
 * sends nonsense, and then nothing of *ret is to be used.
 */
static int read_reply(struct worker *worker, struct worker_reply *ret)
{
	const struct worker_request *request = worker->busy ? worker->current : NULL;
	const size_t size = request ? reply_size(request_row(request->type)->answer) : 0;
	ssize_t n;
	int err;

	n = recv(worker->life.socket, ret, size, MSG_DONTWAIT | MSG_TRUNC);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return -EAGAIN;
	if (n != (ssize_t)size || !request || !reply_is_sane(ret, request))
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
	const struct worker_request *request = worker->current;
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
	bool failed;
	int err;

	worker_life_take_events(&worker->life);
	reply = calloc(1, sizeof(*reply));
	if (!reply)
		return -ENOMEM;
	if (!worker->failure) {
		if (worker->life.socket < 0)
			return -EAGAIN;
		err = read_reply(worker, reply);
		if (err == -EAGAIN)
			return err;
		if (err) {
			worker_life_end_child(&worker->life);
			if (!worker->busy)
				return -EAGAIN;
			fail(worker, err);
		}
	}
	failed = worker->failure;
	if (failed)
		take_failure(worker, reply);
	finish(worker, failed);
	*ret = *reply;
	return 0;
}

int worker_timeout_ms(const struct worker *worker)
{
	__u64 now = clock_ms();

	if (!worker->current)
		return fair_queue_due(worker->turns, now);
	if (!worker->busy)
		return -1;
	return worker->deadline > now ? (int)(worker->deadline - now) : 0;
}

/*
 * A child that waits for a CPU is not stuck, or for its parser that does: on a machine with a hundred busy
 * processes that may take seconds. It counts as waiting when it had none for most of the last DOUBT_MS.
 */
static bool is_late(struct worker *worker)
{
	__u64 now = clock_ms();
	struct usage used;

	if (now < worker->deadline)
		return false;
	if (now >= worker->begin + WORKER_PATIENCE_MS)
		return true;
	if (!worker->life.child) { /* it is being made */
		worker->deadline = now + DOUBT_MS;
		return false;
	}
	used = usage(worker);
	if (worker->doubted && !usage_mostly_waits(&worker->then, &used))
		return true;
	worker->doubted = true;
	worker->then = used;
	worker->deadline = now + DOUBT_MS;
	return false;
}

int worker_check_deadline(struct worker *worker)
{
	char byte;

	worker_life_take_events(&worker->life);
	dispatch(worker);
	if (!worker->busy || !is_late(worker))
		return 0;
	/*
	 * If this process was late itself, the reply is there already. The end of a dead child is noticed the
	 * same way.
	 */
	if (recv(worker->life.socket, &byte, sizeof(byte), MSG_DONTWAIT | MSG_PEEK) >= 0)
		return 0;
	worker_life_end_child(&worker->life);
	fail(worker, -ETIMEDOUT);
	return 1;
}

int worker_fd(const struct worker *worker)
{
	return worker->life.epoll;
}

pid_t worker_pid(const struct worker *worker)
{
	return worker->life.child;
}

pid_t worker_parser_pid(const struct worker *worker)
{
	return worker->life.parser;
}

double worker_seconds(const struct worker *worker)
{
	const struct worker_life *l = &worker->life;

	return l->ended_seconds + usage_seconds(l->child) + usage_seconds(l->parser);
}

bool worker_is_lost(const struct worker *worker)
{
	return worker->life.lost;
}

static int open_all(struct worker *worker, const char *pod_logs)
{
	int err;

	worker->table_fd = memfd_create("pyperf-table", MFD_CLOEXEC);
	if (worker->table_fd < 0)
		return -errno;
	err = zygote_start(&worker->life.zygote, worker->table_fd, pod_logs);
	if (err)
		return err;
	worker->life.epoll = epoll_create1(EPOLL_CLOEXEC);
	worker->failure_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (worker->life.epoll < 0 || worker->failure_fd < 0)
		return -errno;
	return worker_life_watch(&worker->life, worker->failure_fd) ?:
		       worker_life_watch(&worker->life, worker->life.zygote.control);
}

int worker_start(struct worker **ret, const char *pod_logs)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	int err;

	if (!worker)
		return -ENOMEM;
	worker->life.socket = worker->life.child_fd = worker->life.epoll = -1;
	worker->failure_fd = worker->table_fd = -1;
	err = fair_queue_new(&worker->turns, WORKER_QUEUE) ?: open_all(worker, pod_logs);
	if (!err)
		err = worker_life_wait_for_first(&worker->life);
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
	free(worker->current);
	while (worker->turns && (worker->current = fair_queue_take(worker->turns)))
		free(worker->current);
	fair_queue_free(worker->turns);
	worker_life_end_child(&worker->life);
	zygote_end(&worker->life.zygote);
	cleanup_close(&worker->life.epoll);
	cleanup_close(&worker->failure_fd);
	cleanup_close(&worker->table_fd);
	free(worker);
}
