// SPDX-License-Identifier: GPL-2.0-only
#include "report/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/frames.h"
#include "report/table_adder.h"

void table_free(struct report_table *t)
{
	row_keys_free(&t->keys);
	free(t->rows);
	t->rows = NULL;
}

static bool is_native(const struct recorded *r, __u32 place)
{
	return frame_is_native(recorded_get_place(r, place)->kind);
}

size_t table_own_frame(struct adder *a, const struct recorded_stack *s)
{
	if (!a->own.of_place)
		return own_frames_function(a->chosen->recorded, s);
	return own_frames_package(&a->own, s, &a->has_own);
}

bool table_takes_frame(struct adder *a, const struct recorded_stack *s, size_t i)
{
	return !a->own.of_place || !a->has_own || own_frames_is_of_package(&a->own, s->places[i]);
}

static int grow_rows(struct adder *a, __u32 row)
{
	struct report_table *t = a->table;
	size_t capacity = a->capacity ? a->capacity * 2 : 64;
	struct table_row *rows;

	if (row <= a->capacity)
		return 0;
	rows = realloc(t->rows, capacity * sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	t->rows = rows;
	memset(rows + a->capacity, 0, (capacity - a->capacity) * sizeof(*rows));
	a->capacity = capacity;
	return 0;
}

int table_add_to_row(struct adder *a, __u32 row, __u32 stack, bool is_own, __s64 value)
{
	struct table_row *r;
	int err = grow_rows(a, row);

	if (err)
		return err;
	r = &a->table->rows[row - 1];
	r->key = row;
	if (is_own)
		r->self = recorded_sum(r->self, value);
	if (r->counted_in != stack)
		r->total = recorded_sum(r->total, value);
	r->counted_in = stack;
	return 0;
}

int table_add_place(struct adder *a, __u32 place, __u32 stack, bool is_own, __s64 value)
{
	__u32 row;
	int err = row_keys_place(&a->table->keys, place, &row);

	return err ?: table_add_to_row(a, row, stack, is_own, value);
}

/*
 * As add_frames(). false: a place is on both sides of the frame that has the time, so that its first frame
 * from there on is not known.
 */
static bool add_distinct(struct adder *a, __u32 id, const struct recorded_stack *s, size_t own, __s64 value,
			 int *ret_err)
{
	size_t n, first = 0;
	const struct distinct_place *places = distinct_get(&a->chosen->distinct, id, &n);

	for (; places && first < n && places[first].first < own; first++)
		if (places[first].last >= own)
			return false;
	for (size_t i = first; places && i < n && !*ret_err; i++)
		if (table_takes_frame(a, s, places[i].first))
			*ret_err = table_add_place(a, places[i].place, id, places[i].first == own, value);
	return places;
}

/* From the frame that has the time to the root. */
static int add_frames(struct adder *a, __u32 id, const struct recorded_stack *s, size_t own, __s64 value)
{
	int err = 0;

	if (!s->n)
		a->table->without = recorded_sum(a->table->without, value);
	if (add_distinct(a, id, s, own, value, &err))
		return err;
	for (size_t i = own; i < s->n && !err; i++)
		if (table_takes_frame(a, s, i))
			err = table_add_place(a, s->places[i], id, i == own, value);
	return err;
}

static int add_natives(struct adder *a, __u32 id, const struct recorded_stack *s, __s64 value)
{
	const struct recorded *r = a->chosen->recorded;
	bool is_in = s->n && is_native(r, s->places[0]);
	size_t n = s->n;
	const struct distinct_place *places = distinct_get(&a->chosen->distinct, id, &n);
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		const __u32 place = places ? places[i].place : s->places[i];

		if (is_native(r, place)) /* the leaf is the first of its place */
			err = table_add_place(a, place, id, !i, value);
	}
	if (!is_in)
		a->table->without = recorded_sum(a->table->without, value);
	return err;
}

/* The first frame of this kind from the leaf; s->n: there is none. */
static size_t find_kind(const struct recorded *r, const struct recorded_stack *s, enum frame_kind kind)
{
	size_t i = 0;

	while (i < s->n && recorded_get_place(r, s->places[i])->kind != kind)
		i++;
	return i;
}

/* A reason says more than the system call that the thread was in. */
static int add_wait(struct adder *a, __u32 id, const struct recorded_stack *s, __s64 value)
{
	size_t found = find_kind(a->chosen->recorded, s, FRAME_WAIT);

	if (found == s->n)
		found = find_kind(a->chosen->recorded, s, FRAME_SYSCALL);
	if (found < s->n)
		return table_add_place(a, s->places[found], id, true, value);
	a->table->without = recorded_sum(a->table->without, value);
	return 0;
}

static int add_labels(struct adder *a, __u32 id, const struct recorded_stack *s, __s64 value)
{
	__u32 row;
	int err = row_keys_labels(&a->table->keys, s, &row);

	if (!err && row)
		return table_add_to_row(a, row, id, true, value);
	a->table->without = recorded_sum(a->table->without, value);
	return err;
}

static int add_table_stack(struct adder *a, __u32 id)
{
	const struct recorded *r = a->chosen->recorded;
	const struct recorded_stack s = recorded_get_stack(r, id);
	const __s64 value = s.values[a->chosen->type];

	if (!value)
		return 0;
	if (a->table->shape == TABLE_TREE && a->table->keys.by != BY_IMPORT)
		return table_add_tree(a, id, &s, value);
	if (a->table->shape != TABLE_ROWS && a->table->shape != TABLE_TREE)
		return table_add_edges(a, id, &s, value);
	switch (by_rows[a->table->keys.by].of) {
	case OF_OWN:
		return add_frames(a, id, &s, table_own_frame(a, &s), value);
	case OF_ALL:
		return add_frames(a, id, &s, 0, value);
	case OF_NATIVE:
		return add_natives(a, id, &s, value);
	case OF_WAIT:
		return add_wait(a, id, &s, value);
	case OF_IMPORT:
		return table_add_imports(a, id, &s, value);
	case OF_LABEL:
		return add_labels(a, id, &s, value);
	}
	return -EINVAL;
}

static int compare_table_rows(const void *a, const void *b, void *context)
{
	const struct report_table *t = context;
	const struct recorded *r = t->keys.recorded;
	const struct table_row *x = a, *y = b;
	const struct row_key *k, *l;
	int order;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	k = row_keys_get(&t->keys, x->key);
	l = row_keys_get(&t->keys, y->key);
	order = strcmp(recorded_get_string(r, k->name), recorded_get_string(r, l->name)) ?:
		strcmp(recorded_get_string(r, k->file), recorded_get_string(r, l->file));
	if (order)
		return order;
	if (k->line != l->line)
		return k->line < l->line ? -1 : 1;
	return (k->number > l->number) - (k->number < l->number);
}

static void swap(struct table_row *a, struct table_row *b)
{
	const struct table_row row = *a;

	*a = *b;
	*b = row;
}

/* The first n rows are a heap whose first row is the last one in order: row i goes to where it belongs. */
static void sift(struct report_table *t, size_t n, size_t i)
{
	for (size_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
		if (child + 1 < n && compare_table_rows(&t->rows[child + 1], &t->rows[child], t) > 0)
			child++;
		if (compare_table_rows(&t->rows[child], &t->rows[i], t) <= 0)
			return;
		swap(&t->rows[child], &t->rows[i]);
		i = child;
	}
}

/* Puts those rows first that are shown. To sort all of many took longer than to add them up. */
static void choose_rows(struct report_table *t)
{
	const size_t n = t->shown;

	for (size_t i = n / 2; i--;)
		sift(t, n, i);
	for (size_t i = n; n && i < t->count; i++) {
		if (compare_table_rows(&t->rows[i], &t->rows[0], t) >= 0)
			continue;
		swap(&t->rows[i], &t->rows[0]);
		sift(t, n, 0);
	}
}

void table_sort(struct report_table *t)
{
	if (t->shown < t->count)
		choose_rows(t);
	if (t->shown) /* without rows there is no array */
		qsort_r(t->rows, t->shown, sizeof(*t->rows), compare_table_rows, t);
}

__s64 table_left_out(const struct report_table *t)
{
	__s64 sum = 0;

	for (size_t i = t->shown; i < t->count; i++)
		sum = recorded_sum(sum, t->rows[i].self);
	return sum;
}

static int add_all(struct adder *a)
{
	int err = 0;

	for (__u32 id = 1; id <= recorded_stacks(a->chosen->recorded) && !err; id++)
		if (selection_takes(a->chosen, id))
			err = add_table_stack(a, id);
	for (size_t row = 0; row < a->capacity; row++)
		a->table->rows[row].depth = 0;
	return err;
}

static void find_shape(const struct report_query *q, enum answer_by by, struct report_table *t)
{
	t->shape = q->tree || (by == BY_IMPORT && !q->flat) ? TABLE_TREE :
		   q->callers ? TABLE_CALLERS : q->callees ? TABLE_CALLEES : q->lines ? TABLE_LINES :
		   TABLE_ROWS;
	t->of = q->callers ?: q->callees ?: q->lines;
}

static int sort(struct adder *a, size_t top)
{
	struct report_table *t = a->table;

	if (t->shape == TABLE_TREE)
		return table_sort_tree(a, top);
	t->count = t->keys.keys.count;
	t->shown = t->count < top || t->shape == TABLE_LINES ? t->count : top;
	if (t->shape == TABLE_ROWS)
		table_sort(t);
	else
		table_sort_edges(t);
	return 0;
}

int table_make(const struct report_selection *c, struct recorded *r, const struct report_query *q,
	       enum answer_by by, const char *label, struct report_table *ret)
{
	struct adder a = { .chosen = c, .table = ret };
	int err;

	*ret = (struct report_table){ .chosen = c };
	find_shape(q, by, ret);
	err = row_keys_open(&ret->keys, r, by, label, q->fold);
	if (!err && (by == BY_PACKAGE || (q->fold && by_rows[by].of == OF_OWN)))
		err = own_frames_open(r, &a.own);
	err = err ?: add_all(&a) ?: sort(&a, q->top);
	own_frames_close(&a.own);
	free(a.of_place);
	interned_free(&a.nodes);
	return err;
}
