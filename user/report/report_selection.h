/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report_selection.h - which stacks of a profile a question is about, and which of their values.
 */
#ifndef PYPERF_REPORT_REPORT_SELECTION_H
#define PYPERF_REPORT_REPORT_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "recorded/recorded.h"
#include "report/distinct.h"
#include "report/report_query.h"

struct report_selection {
	const struct recorded *recorded;
	size_t type;	   /* of the values */
	bool has_counts;   /* the values are samples that were taken by chance, or stand for such ones: ... */
	size_t count_type; /* ... the type that counts them */
	bool *takes;	   /* of stack id - 1; NULL: all */
	bool *is_away;	   /* ... those of the other profile, or of another trace; NULL: none */
	struct distinct distinct; /* places of its deep stacks */
	__s64 total;		  /* of all stacks, without the signs of the values: what shares are of */
	__s64 kept;		  /* ... of those that are taken */
	__s64 samples;		  /* of all stacks, of count_type */
};

/* 0; -ENOMEM; -EINVAL with one line in error: no such event or expression. Free it in each case. */
int report_selection_make(const struct recorded *r, const struct report_query *q,
			  struct report_selection *ret, char *error, size_t size);
void report_selection_free(struct report_selection *c);
/* Of two profiles in one (recorded.h) only the first or the second is there from now on. 0 or -ENOMEM. */
int report_selection_keep_side(struct report_selection *c, bool is_base);

static inline bool selection_takes(const struct report_selection *c, __u32 stack)
{
	return !c->takes || c->takes[stack - 1];
}

const char *selection_event(const struct report_selection *c);
const char *selection_unit(const struct report_selection *c);

#endif
