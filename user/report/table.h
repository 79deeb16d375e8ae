/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table.h - one table of an answer: rows with how much of the profile was in each. Text and JSON are made of
 * it, and of nothing else.
 */
#ifndef PYPERF_REPORT_TABLE_H
#define PYPERF_REPORT_TABLE_H

#include <stddef.h>
#include <linux/types.h>

#include "report/report_selection.h"
#include "report/row_keys.h"

enum table_shape {
	TABLE_ROWS,    /* the hottest first */
	TABLE_CALLERS, /* who calls `of`; total: what was in `of`, called from there */
	TABLE_CALLEES, /* whom `of` calls; total: what was in it, called from `of` */
	TABLE_TREE,    /* callees below their callers */
	TABLE_LINES,   /* of `of`, in the order of the source */
};

struct table_row {
	__u32 key; /* row_keys_get() */
	union {
		__u32 depth;	  /* of TABLE_TREE */
		__u32 counted_in; /* while it is added up: the stack that was counted there last */
	};
	__s64 self;  /* the row's own */
	__s64 total; /* what it called, too; a stack is counted once */
};

struct report_table {
	enum table_shape shape;
	const struct report_selection *chosen; /* borrowed: what it is of */
	const char *of;			       /* a name; NULL = of all */
	struct row_keys keys;
	struct table_row *rows;
	size_t count;	   /* rows that there are */
	size_t shown;	   /* ... that are shown, the first ones */
	__s64 self, total; /* of `of`, all rows of that name together */
	__s64 without;	   /* of the stacks that were chosen: what is in no row */
};

/*
 * Adds up the stacks that were chosen; c has to outlive it. label: of BY_LABEL. 0; -ENOMEM; -E2BIG;
 * table_free() it in each case.
 */
int table_make(const struct report_selection *c, struct recorded *r, const struct report_query *q,
	       enum answer_by by, const char *label, struct report_table *ret);
void table_free(struct report_table *t);

/* What the rows that are not shown have as their own. */
__s64 table_left_out(const struct report_table *t);

/* For the files that make tables alone. */

/*
 * Puts the hottest first, and of equal ones what comes first by its name, as far as they are shown. The
 * others come behind them in any order.
 */
void table_sort(struct report_table *t);

#endif
