/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * distinct.h - which places are in a deep stack, each once. What recurses is in its stack thousands of times,
 * and a table would look at each of these frames for nothing.
 */
#ifndef PYPERF_REPORT_DISTINCT_H
#define PYPERF_REPORT_DISTINCT_H

#include <stddef.h>
#include <linux/types.h>

#include "base/buf.h"

struct recorded;

struct distinct_place {
	__u32 place;
	__u32 first, last; /* which of the stack's frames it is */
};

struct distinct {
	struct buf places; /* struct distinct_place[] */
	struct distinct_range {
		size_t first, count; /* count 0: the stack has no such list */
	} *of_stack;		     /* of stack id - 1; NULL: none has one */
};

/* Of all stacks that are there now. 0 or -ENOMEM. */
int distinct_make(const struct recorded *r, struct distinct *ret);
void distinct_free(struct distinct *d);
/*
 * The places of a stack, in the order in which they come from the leaf. NULL: it has no list, as what is not
 * deep, or has few places twice.
 */
const struct distinct_place *distinct_get(const struct distinct *d, __u32 stack, size_t *ret);

#endif
