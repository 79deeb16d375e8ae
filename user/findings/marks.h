/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * marks.h - which code that is known (marks.def) each frame of a profile is of.
 */
#ifndef PYPERF_FINDINGS_MARKS_H
#define PYPERF_FINDINGS_MARKS_H

#include <linux/types.h>

struct recorded;

enum mark {
	MARK_IMPORT = 1 << 0,
	MARK_SERIAL = 1 << 1,
	MARK_TRACE = 1 << 2,
	MARK_DEEPCOPY = 1 << 3,
	MARK_LOOP = 1 << 4,
	MARK_CALLBACK = 1 << 5,
	MARK_POOL = 1 << 6,
	MARK_QUEUE = 1 << 7,
	MARK_COLLECT = 1 << 8,
	MARK_COPY = 1 << 9,
	MARK_HELD = 1 << 10,
	/* Not of the list: what it is, and whose. */
	MARK_PYTHON = 1 << 11,
	MARK_PROGRAM = 1 << 12,
	MARK_NATIVE = 1 << 13,
	MARK_MARKER = 1 << 14,
};

/* Sets of marks by place id - 1, to be freed. 0 or -ENOMEM. */
int marks_make(const struct recorded *r, __u32 **ret);

#endif
