/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chosen.h - which stacks of a profile a question is about, and which of their values.
 */
#ifndef PYPERF_REPORT_CHOSEN_H
#define PYPERF_REPORT_CHOSEN_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "report/distinct.h"
#include "report/question.h"
#include "recorded/recorded.h"

struct chosen {
	const struct recorded *recorded;
	size_t type;	   /* of the values */
	bool has_counts;   /* the values are samples that were taken by chance, or stand for such ones: ... */
	size_t count_type; /* ... the type that counts them */
	bool *takes;	   /* of stack id - 1; NULL: all */
	bool *is_away;	   /* ... those of the other profile, or of another trace; NULL: none */
	struct distinct distinct; /* places of its deep stacks */
	__s64 total;	   /* of all stacks, without the signs of the values: what shares are of */
	__s64 kept;	   /* ... of those that are taken */
	__s64 samples;	   /* of all stacks, of count_type */
};

/* 0; -ENOMEM; -EINVAL with one line in error: no such event or expression. chosen_free() it in each case. */
int chosen_make(const struct recorded *r, const struct question *q, struct chosen *ret, char *error,
		size_t size);
void chosen_free(struct chosen *c);
/* Of two profiles in one (recorded.h) only the first or the second is there from now on. 0 or -ENOMEM. */
int chosen_keep_side(struct chosen *c, bool is_base);

static inline bool chosen_takes(const struct chosen *c, __u32 stack)
{
	return !c->takes || c->takes[stack - 1];
}

const char *chosen_event(const struct chosen *c);
const char *chosen_unit(const struct chosen *c);

#endif
