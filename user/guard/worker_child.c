// SPDX-License-Identifier: GPL-2.0-only
/*
 * worker_child.c - the child's side of worker.h. It gives up everything that it inherited, and then answers
 * one request after the other. It may hang or crash at any point. Nothing of it lasts longer than it does but
 * the bytes that it has sent.
 */
#include "guard/worker.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "guard/isolate.h"
#include "guard/reading.h"
#include "guard/reply.h"
#include "guard/requests.h"
#include "guard/sandbox.h"
#include "proc/procfs.h"
#include "python/binaries.h"

#define MEMORY_MAX (256ULL << 20) /* bytes of address space beyond what fork() copied */

static void prepare_worker(const struct worker_child *c)
{
	const struct isolation i = {
		.name = "pyperf-worker",
		.parent = c->parent,
		.privileges = WORKER_PRIVILEGES,
		.fds = { c->socket, c->table_fd, c->parser },
		.fd_count = 3,
		.file_bytes = requests_table_max(),
	};

	if (isolate(&i) || isolate_limit_memory(MEMORY_MAX) || sandbox_enter(SANDBOX_WORKER))
		_exit(1);
}

static int write_table(const __u8 *table, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pwrite(ISOLATED_TABLE_FD, table + done, size - done, done);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			done += n;
	}
	return 0;
}

/* Whether it is of the process's memory or files, which are reached by way of one of its threads. */
static bool is_reached(const struct request_row *row)
{
	return row->answer == ANSWER_CODE || row->answer == ANSWER_TABLE;
}

static int read_all(struct reading *r, const struct request_row *row)
{
	const struct worker_request *q = r->request;
	int err = procfs_check_start(q->pid, q->start_ticks);

	if (!err && is_reached(row))
		err = procfs_memory_tid(q->pid, &r->tid);
	err = err ?: row->read(r);
	/* If the pid belongs to another process by now, what was read may be that one's. */
	err = err ?: procfs_check_start(q->pid, q->start_ticks);
	if (!err && r->table.size > row->table_max)
		err = -E2BIG;
	return err;
}

static void answer(const struct worker_request *request, const struct request_row *row, struct pods *pods,
		   struct worker_reply *reply)
{
	const __u64 begin = clock_ns_of(CLOCK_PROCESS_CPUTIME_ID);
	struct reading r = { .request = request, .pods = pods, .reply = reply };

	memset(reply, 0, sizeof(*reply));
	reply->type = request->type;
	reply->pid = request->pid;
	reply->tag = request->tag;
	reply->error = read_all(&r, row) ?: write_table((const __u8 *)r.table.data, r.table.size);
	if (!reply->error)
		reply->table_size = r.table.size;
	buf_free(&r.table);
	reply->cpu_ns = clock_ns_of(CLOCK_PROCESS_CPUTIME_ID) - begin;
}

/* The row of what has come, n bytes; NULL: it is no request. */
static const struct request_row *row_of(const struct worker_request *request, ssize_t n)
{
	const struct request_row *row;

	if (n < (ssize_t)sizeof(request->type))
		return NULL;
	row = request_row(request->type);
	return row && n == (ssize_t)row->size ? row : NULL;
}

void worker_child_run(const struct worker_child *c)
{
	static struct worker_request request;
	static struct worker_reply reply;
	struct pods *pods;

	prepare_worker(c);
	if (pods_new(&pods, c->pod_logs))
		_exit(1);
	binaries_read_by(reading_image_in_time);
	for (;;) {
		ssize_t n = recv(ISOLATED_SOCKET_FD, &request, sizeof(request), MSG_TRUNC);
		const struct request_row *row = row_of(&request, n);

		if (n < 0 && errno == EINTR)
			continue;
		if (!row)
			_exit(n ? 1 : 0);
		answer(&request, row, pods, &reply);
		if (send(ISOLATED_SOCKET_FD, &reply, reply_size(row->answer), MSG_NOSIGNAL) < 0)
			_exit(1);
	}
}
