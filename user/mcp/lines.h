/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lines.h - lines of a pipe, of a length that is bounded, without waiting for their ends.
 */
#ifndef PYPERF_MCP_LINES_H
#define PYPERF_MCP_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define LINE_MAX_BYTES (256 << 10)

struct lines {
	int fd;
	struct buf buf;
	size_t taken; /* bytes of buf that lines_next() has handed out */
	bool skips;   /* the rest of a line that is too long */
};

/* What is there now is read, once. 0; -EPIPE at the end; -errno. */
int lines_read(struct lines *l);
/*
 * The next whole line, without its end, NUL-terminated; it stays until lines_read(). *ret_size: its bytes,
 * which may have a NUL among them. NULL: there is none. -EMSGSIZE in *ret_error: one was too long, and is
 * gone; else 0.
 */
char *lines_next(struct lines *l, size_t *ret_size, int *ret_error);
void lines_free(struct lines *l);

#endif
