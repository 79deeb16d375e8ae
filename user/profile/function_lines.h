/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * function_lines.h - whether a profile has a function of Python in stacks of one process, and up to which
 * line. Source is given only of functions that were met there.
 */
#ifndef PYPERF_PROFILE_FUNCTION_LINES_H
#define PYPERF_PROFILE_FUNCTION_LINES_H

#include <linux/types.h>

struct profile;

struct function_wanted {
	const char *name, *file;
	__u32 line; /* at which it begins */
	__u32 pid;
};

/*
 * 1 if it has; 0 if not; -ENOMEM. *last becomes the last of its lines that was counted in any process, unless
 * it is larger already; 0 if it has the function nowhere.
 */
int function_lines_find(const struct profile *p, const struct function_wanted *wanted, __u32 *last);

#endif
