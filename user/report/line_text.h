/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * line_text.h - the text of lines that a table of lines is about, from the file on this machine, or from a
 * profiler that serves it. A profile may be of another machine, of a container, or of an older file, or may
 * lie: so only files of Python are read, and the text of a function is shown only if it stands where the
 * profile says, if the file was not changed after a process with it began, and if all that was counted can
 * run.
 */
#ifndef PYPERF_REPORT_LINE_TEXT_H
#define PYPERF_REPORT_LINE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/buf.h"

struct recorded;

#define LINE_TEXT_BYTES_MAX (4 << 20)

enum line_text_state {
	LINE_TEXT_SHOWN,
	LINE_TEXT_NEWER,	   /* shown, but changed after the profile began; processes are not known */
	LINE_TEXT_NONE,	   /* it is no file, as "<string>" */
	LINE_TEXT_CONTAINER,  /* it ran in a container: a file of that name here is another one */
	LINE_TEXT_UNREADABLE, /* errno says why */
	LINE_TEXT_OTHER,	   /* the function is not where it was */
	LINE_TEXT_CHANGED,	   /* it was changed after a process with the function began */
	LINE_TEXT_IDLE,	   /* a line that was counted has nothing that can run: it was changed */
};

/* Lines of one function, as a profiler that serves them wants to be asked (http/source_request.h). */
struct line_wanted {
	const char *name, *file;
	__s64 begins, from, to, pid;
};

#define LINE_WANTED_MAX 400 /* lines of one question: SOURCE_LINES_MAX */

/* Whoever has a profiler. */
struct line_asker {
	/* Appends the lines, each with its line feed. 0 or -errno. */
	int (*ask)(void *context, const struct line_wanted *wanted, struct buf *text);
	void *context;
};

struct line_text {
	__u32 file;  /* string of recorded */
	__u32 name;  /* the same: it is of this function alone */
	__s64 first; /* number of the first line */
	enum line_text_state state;
	int err;
	__s64 idle;   /* that line */
	char *text;   /* NULL = it is not shown; each line ends with NUL */
	__u32 *lines; /* by number - first: where in text */
	size_t count;
};

/* name and file: strings, of a function. 0 or -ENOMEM; line_text_free() it in both cases. */
int line_text_read(const struct recorded *r, __u32 name, __u32 file, struct line_text *ret);
/*
 * The same of a function's lines up to this one, from a profiler that has a process with it in its stacks.
 * 0; -ENOENT: it has none, or does not give them; -ENOMEM.
 */
int line_text_ask(const struct recorded *r, __u32 name, __u32 file, __s64 last,
		  const struct line_asker *asker, struct line_text *ret);
void line_text_free(struct line_text *s);
/* The line of this number, without its line feed; NULL = it is not known. */
const char *line_text_get(const struct line_text *s, __s64 number);

/*
 * Whether a function of this name may begin with that line: it names it, or is a decorator. Names in angle
 * brackets, as <lambda>, stand nowhere, so any line may be theirs.
 */
bool line_text_begins(const char *line, const char *name);
/*
 * Whether a line behind the first one of a function can have been counted: it is there (not NULL), is not
 * empty, and is no comment. Where '#' is followed by '{' it may be text of an f-string, whose values count
 * for that line.
 */
bool line_text_can_run(const char *line);

#endif
