// SPDX-License-Identifier: GPL-2.0-only
/*
 * parser_child.c - the parser's own side of parser.h. It may hang or crash at any point; then the worker
 * waits until the profiler ends it, or ends at once.
 */
#include "guard/parser.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guard/confine.h"
#include "guard/isolate.h"
#include "guard/message.h"
#include "guard/sandbox.h"

#define MEMORY_MAX  (256ULL << 20) /* bytes of address space beyond what fork() copied */
#define FILES_MAX   (ISOLATED_SOCKET_FD + 3) /* one comes with each question, and one may be kept */
#define MESSAGE_MAX (64 << 10) /* bytes; a socket of this kind takes as much in one message */

static int prepare_parser(int socket, pid_t parent, int landlock)
{
	static const struct rlimit files = { FILES_MAX, FILES_MAX };
	const struct isolation i = {
		.name = "pyperf-parser",
		.parent = parent,
		.fds = { socket },
		.fd_count = 1,
	};
	int err = isolate(&i) ?: isolate_limit_memory(MEMORY_MAX) ?: confine_to_nothing(landlock);

	if (!err && setrlimit(RLIMIT_NOFILE, &files))
		err = -errno;
	return err ?: sandbox_enter(SANDBOX_PARSER);
}

static int send_all(const void *data, size_t size)
{
	for (size_t done = 0; done < size;) {
		size_t part = size - done < MESSAGE_MAX ? size - done : MESSAGE_MAX;
		ssize_t n = send(ISOLATED_SOCKET_FD, (const char *)data + done, part, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			done += n;
	}
	return 0;
}

static int parse_file(const struct parser_question *q, int fd, int beside, struct buf *out)
{
	const struct parse_row *row = parse_row(q->parse);
	int err;

	if (!row || fd < 0)
		return -EINVAL;
	err = row->read(fd, beside, q, out);
	return !err && out->size > row->bytes_max ? -E2BIG : err;
}

/* False when the worker is gone. *beside is the file of the question before, if that was PARSE_BESIDE. */
static bool answer_one(int *beside)
{
	_cleanup_close_ int fd = -1;
	_cleanup_buf_ struct buf bytes = { 0 };
	struct parser_answer a = { 0 };
	struct parser_question q;

	if (message_receive(ISOLATED_SOCKET_FD, &q, sizeof(q), &fd, 0))
		return false;
	a.error = parse_file(&q, fd, *beside, &bytes);
	if (*beside >= 0)
		close(*beside);
	*beside = q.parse == PARSE_BESIDE ? TAKE_FD(fd) : -1;
	a.size = a.error ? 0 : bytes.size;
	return !send_all(&a, sizeof(a)) && !send_all(bytes.data, a.size);
}

void parser_child_run(int socket, pid_t parent, int landlock)
{
	int beside = -1;

	if (prepare_parser(socket, parent, landlock))
		_exit(1);
	while (answer_one(&beside))
		;
	_exit(0);
}
