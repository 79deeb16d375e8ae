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

#include "base/cleanup.h"
#include "elf/functions.h"
#include "elf/rows.h"
#include "guard/isolate.h"
#include "guard/parser.h"
#include "guard/sandbox.h"
#include "proc/debug_file.h"
#include "proc/perf_map.h"
#include "proc/procfs.h"
#include "proc/safe_open.h"
#include "python/async_tasks.h"
#include "python/binaries.h"
#include "python/capture_remote.h"
#include "python/look.h"
#include "python/task_waits.h"

#define MEMORY_MAX (256ULL << 20) /* bytes of address space beyond what fork() copied */

static void prepare(const struct worker_child *c)
{
	const struct isolation i = {
		.name = "pyperf-worker",
		.parent = c->parent,
		.privileges = WORKER_PRIVILEGES,
		.fds = { c->socket, c->table_fd, c->parser },
		.fd_count = 3,
	};

	if (isolate(&i) || isolate_limit_memory(MEMORY_MAX) || sandbox_enter(SANDBOX_WORKER))
		_exit(1);
}

/* Has the parser read a file. When it is gone this process ends, too: they are made anew together. */
static int parse(const struct parser_question *q, int fd, struct buf *out)
{
	int err = parser_ask(ISOLATED_PARSER_FD, q, fd, out);

	if (err == -EPIPE)
		_exit(1);
	return err;
}

static int parse_image(int fd, struct image *ret)
{
	const struct parser_question q = { .parse = PARSE_IMAGE };
	_cleanup_buf_ struct buf bytes = { 0 };

	return parse(&q, fd, &bytes) ?: image_parse(bytes.data, bytes.size, ret);
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

static int read_table(pid_t tid, const struct worker_request *request, struct worker_reply *reply)
{
	_cleanup_free_ __u8 *table = NULL;
	size_t size;
	int err;

	err = capture_remote_table(tid, &request->layout, request->address, &table, &size);
	if (err)
		return err;
	if (size > LINETABLE_MAX)
		return -E2BIG;
	err = write_table(table, size);
	if (err)
		return err;
	reply->table_size = size;
	return 0;
}

static int read_object(const struct worker_request *request, struct worker_reply *reply)
{
	pid_t tid;
	int err;

	err = procfs_check_start(request->pid, request->start_ticks);
	if (!err)
		err = procfs_memory_tid(request->pid, &tid);
	if (err)
		return err;
	if (request->type == WORKER_TABLE) {
		err = read_table(tid, request, reply);
	} else {
		err = capture_remote(tid, &request->layout, request->address, &reply->code);
		reply->code.pid = request->pid;
	}
	/* If the pid belongs to another process by now, what was read may be that one's. */
	return err ?: procfs_check_start(request->pid, request->start_ticks);
}

static int send_bytes(const struct buf *bytes, struct worker_reply *reply)
{
	int err = write_table((const __u8 *)bytes->data, bytes->size);

	if (!err)
		reply->table_size = bytes->size;
	return err;
}

struct wanted_map {
	__u64 address;
	struct procfs_map *ret;
};

static int on_map(const struct procfs_map *map, void *context)
{
	struct wanted_map *w = context;

	if (w->address < map->start || w->address >= map->end)
		return 0;
	*w->ret = *map;
	return 1;
}

/* Gives the parser the debug file of this build, for the next question. False: there is none. */
static bool parse_debug_file(pid_t tid, const __u8 *build_id, __u8 size)
{
	const struct parser_question beside = { .parse = PARSE_BESIDE };
	_cleanup_close_ int debug = debug_file_open(tid, build_id, size);
	_cleanup_buf_ struct buf nothing = { 0 };

	return debug >= 0 && !parse(&beside, debug, &nothing);
}

/* That of the file at hand. */
static bool parse_its_debug_file(pid_t tid, int fd)
{
	struct image image;

	return !parse_image(fd, &image) && parse_debug_file(tid, image.build_id, image.build_id_size);
}

/* Has a stripped file parsed once more, with its separate debug file, if there is one. */
static void add_debug_file(pid_t tid, int fd, struct buf *out)
{
	const struct parser_question q = { .parse = PARSE_FUNCTIONS };
	_cleanup_buf_ struct buf more = { 0 };
	struct functions functions;
	struct buf plain = *out;

	if (functions_parse(out->data, out->size, &functions) || functions.has_symbols ||
	    !parse_debug_file(tid, functions.build_id, functions.build_id_size) || parse(&q, fd, &more))
		return;
	*out = more;
	more = plain;
}

/* Has lines read, from the separate debug file if there are none in the file itself. */
static int parse_source(pid_t tid, int fd, const struct parser_question *q, struct buf *out)
{
	int err = parse(q, fd, out);

	return err == -ENODATA && parse_its_debug_file(tid, fd) ? parse(q, fd, out) : err;
}

/* Has names read, from the separate debug file as well. */
static int parse_names(pid_t tid, int fd, const struct parser_question *q, struct buf *out)
{
	parse_its_debug_file(tid, fd);
	return parse(q, fd, out);
}

/* Opens the file that is mapped at the request's address, if it is the one that is meant. */
static int open_mapped(pid_t tid, const struct worker_request *request, __u64 *ret_offset)
{
	static struct procfs_map map;
	struct wanted_map wanted = { request->address, &map };
	_cleanup_close_ int path_fd = -1;
	struct code_file file;
	struct stat stat;
	int err = procfs_maps(tid, on_map, &wanted);

	if (err != 1)
		return err ?: -ENOENT;
	path_fd = safe_open_mapping(tid, &map, &stat);
	if (path_fd < 0)
		return path_fd;
	file = code_file_of(&stat);
	if (memcmp(&file, &request->file, sizeof(file)))
		return -ESTALE;
	*ret_offset = map.offset + (request->address - map.start);
	return safe_open_reopen(path_fd);
}

static int parse_mapped(pid_t tid, const struct worker_request *request, struct buf *out)
{
	struct parser_question q = { .parse = PARSE_FUNCTIONS };
	__u64 offset = 0;
	_cleanup_close_ int fd = open_mapped(tid, request, &offset);
	int err;

	if (fd < 0)
		return fd;
	if (request->type == WORKER_SOURCE) {
		q.parse = request->names ? PARSE_NAMES : PARSE_SOURCE;
		q.source = request->source;
		return (request->names ? parse_names : parse_source)(tid, fd, &q, out);
	}
	if (request->type == WORKER_ROWS)
		q.parse = PARSE_ROWS;
	if (request->type == WORKER_ROWS && offset >> REGION_SHIFT >= ROWS_REGIONS)
		return -ERANGE;
	q.region = offset >> REGION_SHIFT;
	err = parse(&q, fd, out);
	if (!err && q.parse == PARSE_FUNCTIONS && !request->plain)
		add_debug_file(tid, fd, out);
	return err;
}

static int parse_perf_map(pid_t tid, const struct worker_request *request, struct buf *out)
{
	const struct parser_question q = { .parse = PARSE_PERF_MAP };
	struct stat stat;
	_cleanup_close_ int fd = perf_map_open(tid, &stat);
	struct code_file file;

	if (fd < 0)
		return fd;
	file = code_file_of(&stat);
	if (!memcmp(&file, &request->file, sizeof(file)))
		return -EALREADY;
	return buf_add(out, &file, sizeof(file)) ?: parse(&q, fd, out);
}

static int read_bytes(const struct worker_request *request, pid_t tid, struct buf *out)
{
	switch (request->type) {
	case WORKER_MAPS:
		return code_maps_read(tid, out);
	case WORKER_PERF_MAP:
		return parse_perf_map(tid, request, out);
	case WORKER_LOOK:
		return look_at_threads((pid_t)request->pid, tid, &request->layout, request->address,
				       request->asyncio, out);
	case WORKER_TASKS:
		return async_tasks_look((pid_t)request->pid, tid, &request->layout, request->address,
					request->asyncio, out);
	case WORKER_TASK_WAITS:
		return task_waits_look((pid_t)request->pid, tid, &request->layout, request->address,
				       request->asyncio, out);
	case WORKER_SLEEPERS:
		return sleepers_look((pid_t)request->pid, tid, &request->layout, request->address,
				     &request->sleepers, out);
	}
	return parse_mapped(tid, request, out);
}

/* What machine code there is, or what the threads do. */
static int answer_bytes(const struct worker_request *request, struct worker_reply *reply)
{
	_cleanup_buf_ struct buf bytes = { 0 };
	pid_t tid;
	int err = procfs_check_start(request->pid, request->start_ticks);

	if (!err)
		err = procfs_memory_tid(request->pid, &tid);
	if (!err)
		err = read_bytes(request, tid, &bytes);
	if (!err)
		err = procfs_check_start(request->pid, request->start_ticks);
	return err ?: send_bytes(&bytes, reply);
}

static int look_at(const struct worker_request *request, struct pods *pods, struct worker_reply *reply)
{
	int err = request->type == WORKER_IDENTIFY ?
			  identify(request->pid, request->start_ticks, &reply->identity) :
			  procfs_check_start(request->pid, request->start_ticks);

	if (err)
		return err;
	container_read(request->pid, pods, &reply->container);
	return procfs_check_start(request->pid, request->start_ticks);
}

static void answer(const struct worker_request *request, struct pods *pods, struct worker_reply *reply)
{
	memset(reply, 0, sizeof(*reply));
	reply->type = request->type;
	reply->pid = request->pid;
	reply->tag = request->tag;
	if (request->type == WORKER_IDENTIFY || request->type == WORKER_CONTAINER)
		reply->error = look_at(request, pods, reply);
	else if (request->type >= WORKER_MAPS)
		reply->error = answer_bytes(request, reply);
	else
		reply->error = read_object(request, reply);
}

void worker_child_run(const struct worker_child *c)
{
	static struct worker_request request;
	static struct worker_reply reply;
	struct pods *pods;

	prepare(c);
	if (pods_new(&pods, c->pod_logs))
		_exit(1);
	binaries_read_by(parse_image);
	for (;;) {
		ssize_t n = recv(ISOLATED_SOCKET_FD, &request, sizeof(request), 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n != sizeof(request))
			_exit(n ? 1 : 0);
		answer(&request, pods, &reply);
		if (send(ISOLATED_SOCKET_FD, &reply, offsetof(struct worker_reply, table), MSG_NOSIGNAL) < 0)
			_exit(1);
	}
}
