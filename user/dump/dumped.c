// SPDX-License-Identifier: GPL-2.0-only
#include "dump/dumped.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "dump/ask.h"
#include "proc/sched_clocks.h"
#include "python/capture_remote.h"

#define PARTS_MAX 100 /* questions for the identity of one process */

static int request_of(pid_t pid, __u32 type, struct worker_request *ret)
{
	*ret = (struct worker_request){ .type = type, .pid = (__u32)pid };
	return procfs_start_ticks(pid, &ret->start_ticks);
}

/* In parts, if it has many files that the worker has not read yet. */
static int ask_identity(const struct asker *asker, const struct worker_request *request,
			struct worker_reply *reply)
{
	int err = -EAGAIN;

	for (int i = 0; err == -EAGAIN && i < PARTS_MAX; i++)
		err = asker->ask(asker->context, request, reply);
	return err;
}

int dumped_identify(const struct asker *asker, pid_t pid, struct dumped *ret)
{
	_cleanup_free_ struct worker_reply *reply = calloc(1, sizeof(*reply));
	struct worker_request request;
	struct procfs_stat stat;
	int err;

	if (!reply)
		return -ENOMEM;
	err = procfs_stat(pid, &stat) ?: request_of(pid, WORKER_IDENTIFY, &request);
	request.identity.tasks = true;
	err = err ?: ask_identity(asker, &request, reply);
	if (err)
		return err;
	*ret = (struct dumped){ .pid = pid, .identity = reply->identity, .container = reply->container };
	memcpy(ret->name, stat.name, sizeof(ret->name));
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const __u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return x < y ? -1 : x > y;
}

/* The code objects of all frames, each once, in order. NULL: no memory. */
static __u64 *list_codes(const struct dumped *d, size_t *ret_count)
{
	__u64 *codes = calloc(d->frame_count + 1, sizeof(*codes));
	size_t count = 0;

	if (!codes)
		return NULL;
	for (__u32 i = 0; i < d->frame_count; i++)
		codes[i] = d->frames[i].code;
	qsort(codes, d->frame_count, sizeof(*codes), by_address);
	for (__u32 i = 0; i < d->frame_count; i++)
		if (!count || codes[count - 1] != codes[i])
			codes[count++] = codes[i];
	*ret_count = count;
	return codes;
}

/* What cannot be read has no name or no line; the store says so. */
static void read_code(const struct asker *asker, struct dumped *d, __u64 address, __u32 number)
{
	_cleanup_free_ struct worker_reply *reply = calloc(1, sizeof(*reply));
	struct worker_request request;

	if (!reply || request_of(d->pid, WORKER_CAPTURE, &request))
		return;
	request.object.layout = d->identity.layout;
	request.object.address = address;
	if (asker->ask(asker->context, &request, reply))
		return;
	reply->code.code = number;
	if (codes_add(d->codes, &reply->code, capture_remote_size(&reply->code)) ||
	    !(codes_incomplete(&reply->code) & CODES_TABLE))
		return;
	request.type = WORKER_TABLE;
	request.object.address = reply->code.table.address;
	if (asker->ask(asker->context, &request, reply))
		return;
	codes_set_table(d->codes, number, reply->table, reply->table_size);
	free(reply->table);
}

static int read_names(const struct asker *asker, struct dumped *d)
{
	_cleanup_free_ __u64 *codes = NULL;
	size_t count;
	int err;

	codes = list_codes(d, &count);
	d->numbers = calloc(d->frame_count + 1, sizeof(*d->numbers));
	if (!codes || !d->numbers)
		return -ENOMEM;
	err = codes_new(&d->codes, asker->names_max);
	if (err)
		return err;
	for (size_t i = 0; i < count; i++)
		read_code(asker, d, codes[i], CODE_FIRST + (__u32)i);
	for (__u32 i = 0; i < d->frame_count; i++) {
		const __u64 *at = bsearch(&d->frames[i].code, codes, count, sizeof(*codes), by_address);

		d->numbers[i] = CODE_FIRST + (__u32)(at - codes);
	}
	return 0;
}

static void measure_waits(struct dumped *d, const struct sched_clocks *clocks)
{
	for (__u32 i = 0; i < d->look->threads; i++) {
		struct look_thread *t = &d->threads[i];

		if (t->thread.state != 'R')
			t->waited_ns =
				sched_clocks_since(clocks, t->thread.cpu, t->thread.last_ran, t->seen_ns);
	}
}

/* Has the worker look. The bytes of its answer are d's. */
static int ask_for_look(const struct asker *asker, __u32 type, struct dumped *d, size_t *ret_size)
{
	_cleanup_free_ struct worker_reply *reply = calloc(1, sizeof(*reply));
	struct worker_request request;
	int err;

	if (!reply)
		return -ENOMEM;
	err = request_of(d->pid, type, &request);
	request.threads.layout = d->identity.layout;
	request.threads.runtime = d->identity.runtime;
	request.threads.asyncio = d->identity.asyncio;
	err = err ?: asker->ask(asker->context, &request, reply);
	if (err)
		return err;
	d->bytes = reply->table;
	*ret_size = reply->table_size;
	return 0;
}

int dumped_look(const struct asker *asker, const struct sched_clocks *clocks, struct dumped *d)
{
	size_t size;
	int err = ask_for_look(asker, WORKER_LOOK, d, &size);

	err = err ?: look_parse(d->bytes, size, &d->look, &d->threads, &d->frames);
	if (err)
		return err;
	d->frame_count = d->look->frames;
	measure_waits(d, clocks);
	return read_names(asker, d);
}

int dumped_look_at_tasks(const struct asker *asker, struct dumped *d)
{
	static const struct tasks none;
	size_t size;
	int err;

	if (!layout_has_tasks(&d->identity.layout))
		return -ENOTSUP;
	d->tasks = &none;
	if (!d->identity.asyncio)
		return 0;
	err = ask_for_look(asker, WORKER_TASKS, d, &size);
	err = err ?: tasks_parse(d->bytes, size, &d->tasks, &d->task_list, &d->frames, &d->awaiters);
	if (err)
		return err;
	d->frame_count = d->tasks->frames;
	return read_names(asker, d);
}

int dumped_add_tasks(const struct asker *asker, struct dumped *d)
{
	int err;

	if (!d->identity.asyncio)
		return 0;
	d->async = calloc(1, sizeof(*d->async));
	if (!d->async)
		return -ENOMEM;
	d->async->pid = d->pid;
	d->async->identity = d->identity;
	err = dumped_look_at_tasks(asker, d->async);
	if (err) {
		dumped_free(d->async);
		free(d->async);
		d->async = NULL;
	}
	return err == -ENOTSUP ? 0 : err;
}

void dumped_free(struct dumped *d)
{
	if (d->async)
		dumped_free(d->async);
	free(d->async);
	codes_free(d->codes);
	free(d->numbers);
	free(d->bytes);
	*d = (struct dumped){ 0 };
}

void dumped_name(const struct dumped *d, __u32 i, struct code_line *ret)
{
	codes_resolve(d->codes, d->numbers[i], d->frames[i].instr, ret);
}
