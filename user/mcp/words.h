/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * words.h - the words of a command line that is run without a shell.
 */
#ifndef PYPERF_MCP_WORDS_H
#define PYPERF_MCP_WORDS_H

#include <stddef.h>

#include "base/buf.h"

#define WORDS_MAX 48 /* more than any tool has */

struct words {
	char *word[WORDS_MAX + 1]; /* NULL behind the last */
	size_t count;
};

/* 0, -ENOMEM or -E2BIG. */
int words_add(struct words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void words_free(struct words *w);
/* As a person would type it in a shell. 0 or -ENOMEM. */
int words_text(const struct words *w, struct buf *out);

#endif
