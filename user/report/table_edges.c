// SPDX-License-Identifier: GPL-2.0-only
/*
 * table_edges.c - tables about one function: who calls it, whom it calls, and its lines. As in go tool pprof
 * a stack counts once for each pair of functions, and a function that calls itself is no caller of its own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/asked_name.h"
#include "report/table.h"
#include "report/table_adder.h"

/* By its name, or by the id that a row of it has. */
static bool is_asked(const struct recorded *r, __u32 place, const char *of)
{
	const struct recorded_function *f = recorded_get_function(r, recorded_get_place(r, place)->function);
	char id[17];

	if (asked_name_is(recorded_get_string(r, f->name), recorded_get_string(r, f->file), of))
		return true;
	if (strlen(of) != sizeof(id) - 1)
		return false;
	row_keys_function_id(r, place, id);
	return !strcmp(id, of);
}

/* Whether the frame is one of the function that was asked for. */
static bool is_of(struct adder *a, __u32 place)
{
	const struct recorded *r = a->chosen->recorded;

	if (!a->of_place)
		a->of_place = calloc((size_t)r->places.count + 1, 1);
	if (!a->of_place) /* it only takes longer */
		return is_asked(r, place, a->table->of);
	if (!a->of_place[place - 1])
		a->of_place[place - 1] = is_asked(r, place, a->table->of) ? PLACE_IS_OF : PLACE_IS_OTHER;
	return a->of_place[place - 1] == PLACE_IS_OF;
}

static int add_neighbour(struct adder *a, __u32 id, const struct recorded_stack *s, size_t i, size_t own,
			 __s64 value)
{
	const enum table_shape shape = a->table->shape;

	if (shape == TABLE_LINES)
		return table_add_place(a, s->places[i], id, i == own, value);
	if (shape == TABLE_CALLERS && i + 1 < s->n && !is_of(a, s->places[i + 1]))
		return table_add_place(a, s->places[i + 1], id, i == own, value);
	if (shape == TABLE_CALLEES && i > own && !is_of(a, s->places[i - 1]))
		return table_add_place(a, s->places[i - 1], id, i - 1 == own, value);
	return 0;
}

int table_add_edges(struct adder *a, __u32 id, const struct recorded_stack *s, __s64 value)
{
	struct report_table *t = a->table;
	const size_t own = table_own_frame(a, s);
	bool is_in = false;
	int err = 0;

	for (size_t i = own; i < s->n && !err; i++) {
		if (!is_of(a, s->places[i]))
			continue;
		if (!is_in)
			t->total = recorded_sum(t->total, value);
		if (i == own)
			t->self = recorded_sum(t->self, value);
		is_in = true;
		err = add_neighbour(a, id, s, i, own, value);
	}
	if (!is_in)
		t->without = recorded_sum(t->without, value);
	return err;
}

static int by_line(const void *x, const void *y, void *context)
{
	const struct report_table *t = context;
	const struct row_key *a = row_keys_get(&t->keys, ((const struct table_row *)x)->key);
	const struct row_key *b = row_keys_get(&t->keys, ((const struct table_row *)y)->key);

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

static int most_first(const void *x, const void *y)
{
	const struct table_row *a = x, *b = y;

	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	return a->key < b->key ? -1 : a->key > b->key;
}

void table_sort_edges(struct report_table *t)
{
	if (!t->count) /* there is no array */
		return;
	if (t->shape == TABLE_LINES)
		qsort_r(t->rows, t->count, sizeof(*t->rows), by_line, t);
	else
		qsort(t->rows, t->count, sizeof(*t->rows), most_first);
}
