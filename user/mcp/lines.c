// SPDX-License-Identifier: GPL-2.0-only
#include "mcp/lines.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES (64 << 10)

int lines_read(struct lines *l)
{
	ssize_t n;

	l->buf.size -= l->taken;
	if (l->buf.size)
		memmove(l->buf.data, l->buf.data + l->taken, l->buf.size);
	l->taken = 0;
	if (buf_reserve(&l->buf, READ_BYTES))
		return -ENOMEM;
	n = read(l->fd, l->buf.data + l->buf.size, READ_BYTES);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	l->buf.size += n;
	return n ? 0 : -EPIPE;
}

/* No end of the line is there yet. */
static void wait_for_end(struct lines *l, int *ret_error)
{
	if (!l->skips && l->buf.size - l->taken <= LINE_MAX_BYTES)
		return;
	if (!l->skips)
		*ret_error = -EMSGSIZE;
	l->skips = true;
	l->taken = l->buf.size;
}

char *lines_next(struct lines *l, size_t *ret_size, int *ret_error)
{
	*ret_error = 0;
	while (l->taken < l->buf.size) {
		char *line = l->buf.data + l->taken, *end = memchr(line, '\n', l->buf.size - l->taken);
		bool skipped = l->skips;

		if (!end)
			break;
		*end = '\0';
		l->taken += end + 1 - line;
		l->skips = false;
		if (skipped)
			continue;
		if (end - line > LINE_MAX_BYTES) {
			*ret_error = -EMSGSIZE;
			return NULL;
		}
		*ret_size = end - line;
		return line;
	}
	wait_for_end(l, ret_error);
	return NULL;
}

void lines_free(struct lines *l)
{
	buf_free(&l->buf);
}
