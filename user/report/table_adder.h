/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table_adder.h - a table while it is added up. For table*.c alone.
 */
#ifndef PYPERF_REPORT_TABLE_ADDER_H
#define PYPERF_REPORT_TABLE_ADDER_H

#include <stdbool.h>
#include <linux/types.h>

#include "recorded/interned.h"
#include "recorded/own_frames.h"
#include "report/table.h"

struct adder {
	const struct report_selection *chosen;
	struct report_table *table;
	size_t capacity;
	struct interned nodes; /* of a tree: struct tree_node */
	struct own_frames own; /* of rows that are packages; else its of_place is NULL */
	bool has_own;	       /* ... whether a frame of the stack at hand has its time, or else its leaf */
	__u8 *of_place; /* by place - 1: PLACE_IS_OF or PLACE_IS_OTHER, once it was looked at; or NULL */
};

/* Whether a frame is of the function that was asked for. */
enum { PLACE_IS_OF = 1, PLACE_IS_OTHER };

/* A node of the tree by what it is: its caller's node, 0 = none, and the row that names it. */
struct tree_node {
	__u32 parent, key;
};

/* The frame that has the stack's time; for the stack at hand, before table_takes_frame(). */
size_t table_own_frame(struct adder *a, const struct recorded_stack *s);
/* Whether a frame behind it has a row: by packages, what is of none has not. */
bool table_takes_frame(struct adder *a, const struct recorded_stack *s, size_t i);

/* A function that calls itself is in the stack many times, the stack in its total once. */
int table_add_to_row(struct adder *a, __u32 row, __u32 stack, bool is_own, __s64 value);
int table_add_place(struct adder *a, __u32 place, __u32 stack, bool is_own, __s64 value);

int table_add_edges(struct adder *a, __u32 id, const struct recorded_stack *s, __s64 value);
void table_sort_edges(struct report_table *t);

int table_add_imports(struct adder *a, __u32 id, const struct recorded_stack *s, __s64 value);
int table_add_tree(struct adder *a, __u32 id, const struct recorded_stack *s, __s64 value);
/* Puts callees below their callers; of all nodes the `top` hottest. 0 or -ENOMEM. */
int table_sort_tree(struct adder *a, size_t top);

#endif
