// SPDX-License-Identifier: GPL-2.0-only
/*
 * table_tree.c - callees below their callers: each row is a function, called in one way.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/table_adder.h"

int table_add_tree(struct adder *a, __u32 id, const struct recorded_stack *s, __s64 value)
{
	const size_t own = table_own_frame(a, s);
	struct tree_node node = { 0 };
	int err = 0;

	for (size_t i = s->n; i-- > own && !err;) {
		__u32 row;

		if (!table_takes_frame(a, s, i))
			continue;
		err = row_keys_place(&a->table->keys, s->places[i], &node.key) ?:
		      interned_add(&a->nodes, &node, sizeof(node), &row) ?:
		      table_add_to_row(a, row, id, i == own, value);
		node.parent = row;
	}
	return err;
}

static const struct tree_node *node_of(const struct adder *a, __u32 row)
{
	return interned_get(&a->nodes, row, NULL);
}

/* The hottest last; of equal ones the callee before its caller, which was met first. */
static int most_last(const void *x, const void *y)
{
	const struct table_row *a = x, *b = y;

	if (a->total != b->total)
		return a->total < b->total ? -1 : 1;
	return a->key < b->key ? 1 : -1;
}

/* Lists of the callees of each node, the hottest first. */
struct lists {
	__u32 *first, *next;	/* by node; 0 = none. first[0] are the roots */
	struct table_row *rows; /* by node - 1, as they were added up */
};

/* Down, then to the side, then up: the order in which rows are shown. */
static size_t write_rows(const struct adder *a, const struct lists *l, size_t shown)
{
	__u32 at = l->first[0], depth = 0;
	size_t n = 0;

	while (at && n < shown) {
		struct table_row *row = &a->table->rows[n++];

		*row = l->rows[at - 1];
		row->key = node_of(a, at)->key;
		row->depth = depth;
		if (l->first[at]) {
			at = l->first[at];
			depth++;
			continue;
		}
		while (at && !l->next[at]) {
			at = node_of(a, at)->parent;
			depth -= !!at;
		}
		if (at)
			at = l->next[at];
	}
	return n;
}

int table_sort_tree(struct adder *a, size_t top)
{
	struct report_table *t = a->table;
	const size_t n = a->nodes.count;
	_cleanup_free_ __u32 *first = calloc(n + 1, sizeof(*first)), *next = calloc(n + 1, sizeof(*next));
	_cleanup_free_ struct table_row *rows = calloc(n + 1, sizeof(*rows));
	const struct lists l = { first, next, rows };

	if (!first || !next || !rows)
		return -ENOMEM;
	t->count = n;
	t->shown = n < top ? n : top;
	if (!n) /* rows may be NULL */
		return 0;
	for (size_t i = 0; i < n; i++)
		rows[i] = t->rows[i];
	qsort(t->rows, n, sizeof(*t->rows), most_last);
	for (size_t i = n - t->shown; i < n; i++) {
		const __u32 row = t->rows[i].key, parent = node_of(a, row)->parent;

		next[row] = first[parent];
		first[parent] = row;
	}
	/* What is not shown stays behind what is. */
	memmove(t->rows + t->shown, t->rows, (n - t->shown) * sizeof(*t->rows));
	t->shown = write_rows(a, &l, t->shown);
	return 0;
}
