// SPDX-License-Identifier: GPL-2.0-only
/*
 * tally.c - see tally.h. All arrays are as long as the profile has records of that kind, then rows that are
 * the same to a reader are merged and those of other tables taken out.
 */
#include "views/tally.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profile/frames.h"
#include "profile/own_time.h"

#define MOST_PERCENT                                                                                         \
	80 /* share of the samples from which on a process's threads tell more than the list of processes */

void tally_free(struct tally *t)
{
	free(t->functions.rows);
	free(t->lines.rows);
	free(t->markers.rows);
	free(t->natives.rows);
	free(t->libraries.rows);
	free(t->processes.rows);
	free(t->endpoints.rows);
	free(t->threads.rows);
	free(t->owners);
	*t = (struct tally){ 0 };
}

static int new_rows(struct tally_rows *r, __u32 n)
{
	r->rows = calloc((size_t)n + 1, sizeof(*r->rows));
	r->n = n;
	return r->rows ? 0 : -ENOMEM;
}

static enum frame_table table_of(const struct profile *p, __u32 function)
{
	return frame_rows[profile_get_function(p, function)->kind].table;
}

/* Where the leaf of a stack is, of which the time is that of the function `own`. */
static void tally_library(const struct profile *p, struct tally *t, const struct profile_stack *stack,
			  __u32 own)
{
	const struct profile_location *leaf = profile_get_location(p, stack->locations[0]);
	const struct profile_function *f = profile_get_function(p, leaf->function);
	const __u32 file = leaf->mapping ? profile_get_mapping(p, leaf->mapping)->file : f->file;
	struct tally_row *row = &t->libraries.rows[t->libraries.n];

	if (!own || frame_rows[f->kind].table != TABLE_NATIVE)
		return;
	*row = (struct tally_row){ .self = stack->count, .line = file ?: f->name };
	row->id = profile_get_location(p, stack->locations[own])->function;
	t->libraries.n++;
}

/* A function that calls itself is in the stack many times, the sample in its total once. */
static int add_samples(const struct profile *p, struct tally *t)
{
	_cleanup_free_ __u32 *counted_in = calloc((size_t)t->functions.n + 1, sizeof(*counted_in));

	if (!counted_in)
		return -ENOMEM;
	for (__u32 id = 1; id <= profile_count(p, PROFILE_SAMPLE); id++) {
		struct profile_stack stack = profile_get_sample(p, id);
		const __u32 own = own_time_frame(p, &stack, 0, stack.n);

		t->owners[stack.owner - 1] += stack.count;
		t->lines.rows[stack.locations[own] - 1].self += stack.count;
		tally_library(p, t, &stack, own);
		for (__u32 i = 0; i < stack.n; i++) {
			__u32 function = profile_get_location(p, stack.locations[i])->function;
			struct tally_row *row = &t->functions.rows[function - 1];

			if (i == 0 || i == own)
				row->self += stack.count;
			if (counted_in[function] != id)
				row->total += stack.count;
			counted_in[function] = id;
		}
	}
	return 0;
}

static int by_self_time(const void *a, const void *b)
{
	const struct tally_row *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static int by_place(const void *a, const void *b)
{
	const struct tally_row *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static void sort(struct tally_rows *r, int (*order)(const void *a, const void *b))
{
	qsort(r->rows, r->n, sizeof(*r->rows), order);
}

/* What is no Python code, or none that anybody could make faster, goes to tables of its own. */
static void part_tables(const struct profile *p, struct tally *t)
{
	__u32 n = 0;

	t->markers.n = t->natives.n = 0;
	for (__u32 i = 0; i < t->functions.n; i++) {
		struct tally_row row = t->functions.rows[i];

		row.id = i + 1;
		if (table_of(p, row.id) == TABLE_APART)
			t->markers.rows[t->markers.n++] = row;
		else if (table_of(p, row.id) == TABLE_NATIVE)
			t->natives.rows[t->natives.n++] = row;
		else
			t->functions.rows[n++] = row;
	}
	t->functions.n = n;
}

static int by_function_and_heat(const void *a, const void *b)
{
	const struct tally_row *x = a, *y = b;

	return x->id != y->id ? (x->id < y->id ? -1 : 1) : by_self_time(a, b);
}

static void merge_libraries(struct tally_rows *libraries)
{
	__u32 n = 0;

	sort(libraries, by_place);
	for (__u32 i = 0; i < libraries->n; i++) {
		if (n && !by_place(&libraries->rows[n - 1], &libraries->rows[i]))
			libraries->rows[n - 1].self += libraries->rows[i].self;
		else
			libraries->rows[n++] = libraries->rows[i];
	}
	libraries->n = n;
	sort(libraries, by_function_and_heat);
}

/* Rows of one line that differ by column, or by mapping: two interpreters running the same file. */
static void merge_lines(const struct profile *p, struct tally_rows *lines)
{
	__u32 n = 0;

	for (__u32 i = 0; i < lines->n; i++) {
		lines->rows[i].id = profile_get_location(p, i + 1)->function;
		lines->rows[i].line = profile_get_location(p, i + 1)->line;
	}
	sort(lines, by_place);
	for (__u32 i = 0; i < lines->n; i++) {
		if (n && !by_place(&lines->rows[n - 1], &lines->rows[i]))
			lines->rows[n - 1].self += lines->rows[i].self;
		else if (table_of(p, lines->rows[i].id) == TABLE_FUNCTIONS)
			lines->rows[n++] = lines->rows[i];
	}
	lines->n = n;
}

/* The main thread's name stands for the process; without a sample of it, the busiest thread's. */
static bool is_better_name(const struct profile *p, const struct tally *t, __u32 owner, __u32 than)
{
	const struct profile_owner *a = profile_get_owner(p, owner), *b = profile_get_owner(p, than);
	bool a_main = !a->tid || a->tid == a->pid, b_main = !b->tid || b->tid == b->pid;

	return a_main != b_main ? a_main : t->owners[owner - 1] > t->owners[than - 1];
}

/* Adds an owner's samples to the row of its process or thread. */
static void add_owner(const struct profile *p, const struct tally *t, __u32 owner, struct tally_row *row)
{
	const char *gil = profile_get_string(p, profile_get_owner(p, owner)->gil);
	const __u64 count = t->owners[owner - 1];

	row->self += count;
	row->holds += strcmp(gil, "holds") ? 0 : count;
	row->released += strcmp(gil, "released") ? 0 : count;
}

/* Rows of one id, each of one owner, become one. */
static void merge_owners(const struct profile *p, const struct tally *t, struct tally_rows *r)
{
	__u32 n = 0;

	sort(r, by_place);
	for (__u32 i = 0; i < r->n; i++) {
		struct tally_row row = r->rows[i], *last = n ? &r->rows[n - 1] : NULL;

		if (!last || last->id != row.id) {
			add_owner(p, t, row.line, &row);
			r->rows[n++] = row;
			continue;
		}
		add_owner(p, t, row.line, last);
		if (is_better_name(p, t, row.line, last->line))
			last->line = row.line;
	}
	r->n = n;
	sort(r, by_self_time);
}

/* pid 0 stands for all processes that nothing is known of. */
static void find_threads(const struct profile *p, struct tally *t)
{
	const struct tally_row *first = t->processes.rows;
	__u32 owners = t->threads.n;

	t->threads.n = 0;
	if (!t->processes.n || !first->id ||
	    (double)first->self * 100 < (double)profile_total(p) * MOST_PERCENT)
		return;
	for (__u32 i = 1; i <= owners; i++) {
		const struct profile_owner *o = profile_get_owner(p, i);

		if (o->pid == first->id && t->owners[i - 1])
			t->threads.rows[t->threads.n++] = (struct tally_row){ .id = o->tid, .line = i };
	}
	merge_owners(p, t, &t->threads);
	if (t->threads.n > 1)
		t->pid = first->id;
	else
		t->threads.n = 0;
}

static int allocate(const struct profile *p, struct tally *t)
{
	__u32 owners = profile_count(p, PROFILE_OWNER);

	t->owners = calloc((size_t)owners + 1, sizeof(*t->owners));
	if (!t->owners || new_rows(&t->functions, profile_count(p, PROFILE_FUNCTION)) ||
	    new_rows(&t->markers, t->functions.n) || new_rows(&t->natives, t->functions.n) ||
	    new_rows(&t->libraries, profile_count(p, PROFILE_SAMPLE)) ||
	    new_rows(&t->lines, profile_count(p, PROFILE_LOCATION)) || new_rows(&t->processes, owners) ||
	    new_rows(&t->endpoints, owners) || new_rows(&t->threads, owners))
		return -ENOMEM;
	t->libraries.n = 0; /* so far */
	return 0;
}

int tally_make(const struct profile *p, struct tally *ret)
{
	int err;

	*ret = (struct tally){ 0 };
	err = allocate(p, ret);
	if (!err)
		err = add_samples(p, ret);
	if (err)
		return err;
	part_tables(p, ret);
	merge_lines(p, &ret->lines);
	merge_libraries(&ret->libraries);
	for (__u32 i = 0; i < ret->processes.n; i++) {
		const struct profile_owner *o = profile_get_owner(p, i + 1);

		ret->processes.rows[i] = (struct tally_row){ .id = o->pid, .line = i + 1 };
		ret->endpoints.rows[i] = (struct tally_row){ .id = o->endpoint, .line = i + 1 };
	}
	merge_owners(p, ret, &ret->processes);
	merge_owners(p, ret, &ret->endpoints);
	find_threads(p, ret);
	sort(&ret->functions, by_self_time);
	sort(&ret->markers, by_self_time);
	sort(&ret->natives, by_self_time);
	sort(&ret->lines, by_self_time);
	return 0;
}
