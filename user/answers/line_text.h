/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * line_text.h - the text of lines that a table of lines is about, from the file on this machine. A profile
 * may be of another machine, of a container, or of an older file, or may lie: so only files of Python are
 * read, and shown only if the function stands where the profile says.
 */
#ifndef PYPERF_ANSWERS_LINE_TEXT_H
#define PYPERF_ANSWERS_LINE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

struct recorded;

#define LINE_TEXT_BYTES_MAX (4 << 20)

enum line_text_state {
	LINE_TEXT_SHOWN,
	LINE_TEXT_NEWER,	   /* shown, but it was changed after the profile began */
	LINE_TEXT_NONE,	   /* it is no file, as "<string>" */
	LINE_TEXT_CONTAINER,  /* it ran in a container: a file of that name here is another one */
	LINE_TEXT_UNREADABLE, /* errno says why */
	LINE_TEXT_OTHER,	   /* the function is not where it was */
};

struct line_text {
	__u32 file; /* string of recorded */
	enum line_text_state state;
	int err;
	char *text; /* NULL = it is not shown; each line ends with NUL */
	__u32 *lines; /* by number - 1: where in text */
	size_t count;
};

/* name and file: strings, of a function. 0 or -ENOMEM; line_text_free() it in both cases. */
int line_text_read(const struct recorded *r, __u32 name, __u32 file, struct line_text *ret);
void line_text_free(struct line_text *s);
/* The line of this number, without its line feed; NULL = it is not known. */
const char *line_text_get(const struct line_text *s, __s64 number);


/*
 * Whether a function of this name may begin with that line: it names it, or is a decorator. Names in angle
 * brackets, as <lambda>, stand nowhere, so any line may be theirs.
 */
bool line_text_begins(const char *line, const char *name);

#endif
