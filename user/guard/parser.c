// SPDX-License-Identifier: GPL-2.0-only
/* parser.c - the worker's side of parser.h. It trusts neither the length of an answer nor that one comes. */
#include "guard/parser.h"

#include <errno.h>
#include <sys/socket.h>

#include "guard/message.h"

/* Takes the bytes of an answer: several messages. */
static int take_bytes(int socket, size_t size, struct buf *out)
{
	const size_t end = out->size + size;

	if (buf_reserve(out, size))
		return -EPIPE; /* what is left in the socket would be taken for the next answer */
	while (out->size < end) {
		ssize_t n = recv(socket, out->data + out->size, end - out->size, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -EPIPE;
		out->size += n;
	}
	return 0;
}

static int take_answer(int socket, const struct parse_row *row, struct buf *out)
{
	struct parser_answer a;
	ssize_t n;

	do
		n = recv(socket, &a, sizeof(a), MSG_TRUNC);
	while (n < 0 && errno == EINTR);
	if (n != sizeof(a) || a.error > 0 || a.size > row->bytes_max || (a.error && a.size))
		return -EPIPE;
	if (a.error)
		return a.error == -EPIPE ? -EIO : a.error;
	return take_bytes(socket, a.size, out);
}

int parser_ask(int socket, const struct parser_question *q, int fd, struct buf *out)
{
	const struct parse_row *row = parse_row(q->parse);
	const size_t size = out->size;
	int err;

	if (!row)
		return -EINVAL;
	err = message_send(socket, q, sizeof(*q), fd, 0) ? -EPIPE : take_answer(socket, row, out);
	if (err)
		out->size = size;
	return err;
}
