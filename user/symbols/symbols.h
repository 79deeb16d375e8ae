/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbols.h - what the kernel side asks for, and what a profile needs besides: the names and lines of code
 * objects, and where machine code is and what it is called.
 */
#ifndef PYPERF_SYMBOLS_SYMBOLS_H
#define PYPERF_SYMBOLS_SYMBOLS_H

#include <stdbool.h>

struct captures;
struct codes;
struct discover;
struct kernel;
struct loop;
struct natives;
struct registry;
struct symbols;

/* What it works with. All borrowed. */
struct symbols_parts {
	struct kernel *kernel;
	struct codes *codes;
	struct natives *natives; /* NULL: there is no native code */
	bool native_lines;	 /* are wanted */
	const struct registry *registry;
	struct discover *discover; /* by which it gets records and asks */
};

/* 0 or -ENOMEM. It has to be freed before the discovery is. */
int symbols_new(struct symbols **ret, const struct symbols_parts *parts);
void symbols_free(struct symbols *s); /* NULL is fine */

/*
 * Adds the rows of what is to be done each second: native_watch(), ask_lines_watch(). They come after that of
 * the worker's answers. 0 or -errno of loop_watch().
 */
int symbols_watch(struct symbols *s, struct loop *loop);

/* For whoever sees code objects that nobody has sent. */
struct captures *symbols_captures(struct symbols *s);

#endif
