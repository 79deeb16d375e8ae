/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * function_lines.h - whether a profile has a function of Python in stacks of one process, and up to which
 * line. Source is given only of functions that were met there.
 */
#ifndef PYPERF_VIEWS_FUNCTION_LINES_H
#define PYPERF_VIEWS_FUNCTION_LINES_H

#include <stdbool.h>
#include <linux/types.h>

struct profile;

struct function_wanted {
	const char *name, *file;
	__u32 line; /* at which it begins */
	__u32 pid;
};

/* Of these lines, by line - from: whether one was counted. */
struct lines_counted {
	__u32 from, count;
	bool *is_counted;
};

/* Whether the process has it in a stack: 1, 0 or -ENOMEM. Marks lines of these stacks, if it is not NULL. */
int function_lines_met(const struct profile *p, const struct function_wanted *wanted,
		       struct lines_counted *counted);
/* The last of its lines that was counted, in any process; 0: there is none. */
__u32 function_lines_last(const struct profile *p, const struct function_wanted *wanted);

#endif
