// SPDX-License-Identifier: GPL-2.0-only
#include "mcp/words.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:@%+"

int words_add(struct words *w, const char *format, ...)
{
	va_list args;
	int size;

	if (w->count == WORDS_MAX)
		return -E2BIG;
	va_start(args, format);
	size = vasprintf(&w->word[w->count], format, args);
	va_end(args);
	if (size < 0) {
		w->word[w->count] = NULL;
		return -ENOMEM;
	}
	w->count++;
	return 0;
}

void words_free(struct words *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->word[i]);
	*w = (struct words){ 0 };
}

/* In single quotes, where one of those within is '\''. */
static int add_shell_word(const char *word, struct buf *out)
{
	int err = buf_add_string(out, "'");

	for (; *word && !err; word++)
		err = *word == '\'' ? buf_add_string(out, "'\\''") : buf_add(out, word, 1);
	return err ?: buf_add_string(out, "'");
}

int words_text(const struct words *w, struct buf *out)
{
	int err = 0;

	for (size_t i = 0; i < w->count && !err; i++) {
		const char *word = w->word[i];

		err = buf_add_string(out, i ? " " : "");
		if (!err && *word && !word[strspn(word, PLAIN)])
			err = buf_add_string(out, word);
		else if (!err)
			err = add_shell_word(word, out);
	}
	return err;
}
