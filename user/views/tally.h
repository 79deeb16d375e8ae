/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tally.h - a profile added up by function, line, marker, process and thread: the numbers that the summary
 * shows. The hottest of each is first.
 */
#ifndef PYPERF_VIEWS_TALLY_H
#define PYPERF_VIEWS_TALLY_H

#include "profile/profile.h"

struct tally_row {
	__u64 self, total;
	__u32 id;   /* of the function; for a process its pid, for a thread its tid */
	__u32 line; /* of a line; for a process or a thread the owner that has its name */
	/* Of self of a process or thread, what is known to have had the GIL, and to have let go of it. */
	__u64 holds, released;
};

struct tally_rows {
	struct tally_row *rows;
	__u32 n;
};

struct tally {
	struct tally_rows functions, lines; /* of real functions only, with self and total, and self */
	struct tally_rows
		markers; /* kinds of frames.def's table APART: self = of the leaf no more is known */
	struct tally_rows natives; /* of the table NATIVE; lines and functions have these counts, too */
	/*
	 * Of the self of the function `id`, what was in machine code: `line` is the string of the library, or
	 * of the system call. Rows of one function are neighbours, the hottest first.
	 */
	struct tally_rows libraries;
	struct tally_rows processes;
	struct tally_rows endpoints; /* `id` is the string of its name, 0 for what has none */
	struct tally_rows threads;   /* of the one process that has most of the samples, else none */
	__u32 pid;		     /* of that process, 0 = there is none */
	__u64 *owners;		     /* samples by owner id - 1 */
};

/* Returns 0 or -ENOMEM; tally_free() it in both cases. */
int tally_make(const struct profile *p, struct tally *ret);
void tally_free(struct tally *t);

#endif
