/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * parser.h - a process that parses ELF files and perf maps, which any user may have written to take it over.
 * It has no capability and can open nothing. Its only way out is a socket to its worker, which opens the
 * files. The two are made together, and the zygote ends one with the other.
 */
#ifndef PYPERF_GUARD_PARSER_H
#define PYPERF_GUARD_PARSER_H

#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "base/buf.h"
#include "elf/source.h"

enum parse {
	PARSE_IMAGE = 1, /* image_read(); the answer is a struct image */
	PARSE_FUNCTIONS, /* functions_read(); the file of BESIDE is the debug file */
	PARSE_ROWS,	 /* rows_read() */
	PARSE_PERF_MAP,	 /* perf_map_read() */
	PARSE_BESIDE,	 /* the file is kept for the next question; the answer is empty */
	PARSE_SOURCE,	 /* source_read(); the file of BESIDE is the debug file */
	PARSE_NAMES,	 /* function_names_read(); the file of BESIDE is the debug file */
	PARSES
};

/* Plain data: it goes through a socket, together with the file. */
struct parser_question {
	__u32 parse;		       /* enum parse */
	__u32 region;		       /* of ROWS */
	struct source_question source; /* of SOURCE and NAMES */
};

/* If there was no error, the bytes of the answer follow it. */
struct parser_answer {
	__s32 error; /* 0 or -errno */
	__u32 size;
};

/* One kind of question. */
struct parse_row {
	/* beside: the file that was sent before, or -1. 0 or -errno. */
	int (*read)(int fd, int beside, const struct parser_question *q, struct buf *out);
	size_t bytes_max; /* of an answer */
};

/* NULL for a number that is no kind. */
const struct parse_row *parse_row(__u32 parse);

/*
 * The worker's side: asks about a file that is open for reading, and waits for the answer, of which the bytes
 * are appended. They are of a size that such an answer may have, and nothing else of them is checked. 0;
 * what the parser failed with; -EPIPE when it has ended, or says what it would not: it is not to be asked
 * again. After an error *out is as it was.
 */
int parser_ask(int socket, const struct parser_question *q, int fd, struct buf *out);

/*
 * The parser's own side: answers questions until the socket closes. landlock: confine_version(). It never
 * returns.
 */
void parser_child_run(int socket, pid_t parent, int landlock) __attribute__((noreturn));

#endif
