/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * linetable.h - from an instruction to its line and column. One function for each format that CPython has
 * had, all of one shape (linetable_fn).
 */
#ifndef PYPERF_PYTHON_LINETABLE_H
#define PYPERF_PYTHON_LINETABLE_H

#include <stddef.h>
#include <linux/types.h>

#include "bpf/abi.h"

struct line_position {
	/* From 1; 0 = the instruction has none, or "line 0", as a module's first one from 3.11 on; or: */
	int line;
	int column;  /* where its source begins in that line, in bytes of UTF-8, from 1; 0 = not known */
	int outside; /* 1 = it has one that no file has, as macros make them: below 0, or above INT_MAX */
};

/*
 * instr counts from the start of the bytecode, from 0: in code units of 2 bytes, in 2.7 in bytes. Returns 0;
 * -ENOENT when the table ends before instr; -EBADMSG when it is malformed before the line of instr is
 * reached. Each of the len bytes is read at most once, whatever they are.
 */
typedef int linetable_fn(const __u8 *table, size_t len, int first_line, __u32 instr,
			 struct line_position *ret);

/*
 * The location table of 3.11 and later, the only one with columns (InternalDocs/code_objects.md of CPython
 * 3.13).
 */
linetable_fn linetable_line;

/* co_linetable of 3.10 (Objects/lnotab_notes.txt of CPython 3.10). */
linetable_fn linetable_line_310;

/* co_lnotab of 3.6 to 3.9 (Objects/lnotab_notes.txt of CPython 3.9). It has no end: the last line goes on. */
linetable_fn linetable_line_lnotab;

/* co_lnotab of 2.7 (its Objects/lnotab_notes.txt): the same, but lines only go up, and instr counts bytes. */
linetable_fn linetable_line_27;

/* The decoder for an enum line_format, NULL for a number that is none. */
linetable_fn *linetable_for_format(__u32 format);

/* Where a decoder stands in a table: before an entry. The first is { .line = the first line }. */
struct line_cursor {
	__u64 at;    /* the entry, in bytes of the table */
	__u64 begin; /* the bytecode that the entries before it cover, linetable_unit() for an instruction */
	__s64 line;
};

/* Which instruction is looked for, and before which byte of the table it is not gone on. */
struct line_goal {
	__u64 instr, pause;
};

/*
 * As a linetable_fn, from where the cursor stands. It moves the cursor, and returns -EAGAIN where it stands
 * before an entry that begins at `pause` or later. instr may be larger than any table has: then it goes
 * through all of it.
 */
typedef int linetable_walk_fn(const __u8 *table, size_t len, struct line_cursor *c,
			      const struct line_goal *goal, struct line_position *ret);

linetable_walk_fn linetable_walk, linetable_walk_310, linetable_walk_lnotab, linetable_walk_27;

/* By enum line_format; NULL for a number that is none. */
linetable_walk_fn *linetable_walk_for_format(__u32 format);
/* How many of the cursor's units an instruction has: two formats count bytes, the others instructions. */
static inline unsigned int linetable_unit(linetable_walk_fn *walk)
{
	return walk == linetable_walk_310 || walk == linetable_walk_lnotab ? 2 : 1;
}

#endif
