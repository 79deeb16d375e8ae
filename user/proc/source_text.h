/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * source_text.h - lines of a file of Python from which a target says that a function of its is. The file may
 * be anything by now, and the target chose its name, so it is one that the target's own user may read
 * (safe_open_named()), and what is read of it is bounded. The worker reads it, the profiler checks the bytes.
 */
#ifndef PYPERF_PROC_SOURCE_TEXT_H
#define PYPERF_PROC_SOURCE_TEXT_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

#include "base/buf.h"

#define SOURCE_PATH_SIZE     1024
#define SOURCE_FILE_MAX	     (4 << 20) /* bytes of a file that are read */
#define SOURCE_LINES_MAX     400
#define SOURCE_LINE_MAX	     512 /* bytes of a line; a longer one is cut, and ends with SOURCE_LINE_CUT */
#define SOURCE_LINE_CUT	     " [...]"
#define SOURCE_TEXT_MAX	     (64 + (SOURCE_LINES_MAX + 1) * (SOURCE_LINE_MAX + 8))

/* Lines count from 1. */
struct source_wanted {
	__u32 begins;		     /* the line at which the function begins */
	__u32 from, to;		     /* the lines that are wanted; SOURCE_LINES_MAX of them at most */
	char path[SOURCE_PATH_SIZE]; /* absolute; "" behind its end */
};

struct source_text {
	__s64 changed_unix_ns; /* when the file, or what is known of it, was changed last */
	const char *begins;    /* that line */
	__u32 from, count;     /* fewer than were wanted where the file ends */
	const char *lines[SOURCE_LINES_MAX];
};

/*
 * From now on this process, and those that it forks, may read lines: --listen-source. It is called before the
 * zygote is forked, so that whoever takes over the profiler later cannot have a worker read any.
 */
void source_text_allow(void);

/* Whether lines of such a file are shown at all: it has a whole path, which ends as Python's do. */
bool source_text_is_shown(const char *path);

/*
 * Appends what source_text_parse() takes, of the file that thread tid sees. 0; -EINVAL for a question that is
 * none; -EPERM without source_text_allow(); -EACCES for a file that is not read; -EFBIG: the lines are not
 * within SOURCE_FILE_MAX; -ERANGE: the file has no such lines; -EILSEQ: it is no text; another -errno.
 */
int source_text_read(pid_t tid, const struct source_wanted *wanted, struct buf *out);

/* Checks these bytes, which it changes, and which *ret points into from then on. 0 or -EBADMSG. */
int source_text_parse(void *bytes, size_t size, struct source_text *ret);

#endif
