// SPDX-License-Identifier: GPL-2.0-only
/*
 * process_readers.c - the child's side of requests about a process and its memory. Those about its files are
 * in file_readers.c.
 */
#include "guard/reading.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "guard/worker.h"
#include "python/capture_remote.h"
#include "remote/context_look.h"
#include "remote/look.h"
#include "remote/route_look.h"
#include "remote/task_waits.h"
#include "remote/tasks.h"
#include "remote/thread_context_look.h"
#include "remote/thread_names.h"

int read_container(struct reading *r)
{
	container_read(r->request->pid, r->pods, &r->reply->container);
	return 0;
}

int read_identity(struct reading *r)
{
	struct identity *i = &r->reply->identity;
	int err;

	reading_begin_images();
	err = identify(r->request->pid, r->request->start_ticks, i);
	if (err)
		return err;
	if (r->request->identity.tasks)
		identify_tasks(r->request->pid, i);
	return read_container(r);
}

int read_code(struct reading *r)
{
	const struct request_object *q = &r->request->object;
	int err = capture_remote(r->tid, &q->layout, q->address, &r->reply->code);

	r->reply->code.pid = r->request->pid;
	return err;
}

int read_line_table(struct reading *r)
{
	const struct request_object *q = &r->request->object;
	__u8 *table;
	size_t size;
	int err = capture_remote_table(r->tid, &q->layout, q->address, &table, &size);

	if (!err)
		r->table = (struct buf){ .data = (char *)table, .size = size, .capacity = size };
	return err;
}

int read_maps(struct reading *r)
{
	return code_maps_read(r->tid, &r->table);
}

int read_look(struct reading *r)
{
	const struct request_threads *q = &r->request->threads;

	return look_at_threads((pid_t)r->request->pid, r->tid, &q->layout, q->runtime, q->asyncio, &r->table);
}

int read_thread_names(struct reading *r)
{
	const struct request_threads *q = &r->request->threads;

	return thread_names_look((pid_t)r->request->pid, r->tid, &q->layout, q->runtime, &r->table);
}

int read_tasks(struct reading *r)
{
	const struct request_threads *q = &r->request->threads;

	return tasks_look((pid_t)r->request->pid, r->tid, &q->layout, q->runtime, q->asyncio, &r->table);
}

int read_task_waits(struct reading *r)
{
	const struct request_threads *q = &r->request->threads;

	return task_waits_look((pid_t)r->request->pid, r->tid, &q->layout, q->runtime, q->asyncio, &r->table);
}

int read_sleepers(struct reading *r)
{
	const struct request_sleepers *q = &r->request->sleepers;

	return sleepers_look((pid_t)r->request->pid, r->tid, &q->layout, q->runtime, &q->question, &r->table);
}

static __u64 began_ns(const struct worker_request *q)
{
	return clock_ns_of_ticks(q->start_ticks);
}

/* A process may publish ids of spans and have no context at all. */
int read_contexts(struct reading *r)
{
	const struct request_contexts *q = &r->request->contexts;
	struct thread_context_question question = {
		.pid = (pid_t)r->request->pid, .memory = r->tid, .began_ns = began_ns(r->request),
		.layout = &q->layout, .runtime = q->runtime,
	};
	struct context_vars v = {};
	int err = context_look(r->tid, &q->layout, q->runtime, &q->names, &v);

	if (q->names.trace && (!err || err == -ENOENT)) {
		thread_context_look(&question, &v.thread);
		err = v.thread.kind ? 0 : err;
	}
	return err ?: buf_add(&r->table, &v, sizeof(v));
}

int read_routes(struct reading *r)
{
	const struct request_routes *q = &r->request->routes;

	return route_look(r->tid, &q->layout, &q->question, &r->table);
}

int read_published(struct reading *r)
{
	const struct worker_request *q = r->request;
	struct otel_context context;
	int err = otel_context_read((pid_t)q->pid, r->tid, began_ns(q), &q->published.known, &context);

	return err ?: buf_add(&r->table, &context, sizeof(context));
}
