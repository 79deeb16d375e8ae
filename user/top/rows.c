// SPDX-License-Identifier: GPL-2.0-only
#include "top/rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "profile/profile.h"
#include "top/packages.h"
#include "top/row_index.h"
#include "top/waiters.h"
#include "views/tally.h"

void top_rows_free(struct top_rows *r)
{
	free(r->rows);
	*r = (struct top_rows){ 0 };
}

/* How many CPUs a count is. */
static double cpus_of(const struct profile *p, __u64 count)
{
	const struct profile_info *info = profile_get_info(p);
	const bool is_ticks = profile_shown_unit(p) == UNIT_COUNT;
	const double ns = is_ticks ? (double)count * info->period_ns : (double)count;

	return info->duration_ns > 0 ? ns / info->duration_ns : 0;
}

static void set_counts(const struct profile *p, struct top_row *row, __u64 self, __u64 total)
{
	row->self = cpus_of(p, self);
	row->total = cpus_of(p, total);
}

static void set_function(const struct profile *p, struct top_row *row, __u32 function, __u32 line)
{
	const struct profile_function *f = profile_get_function(p, function);

	row_index_set_text(row->name, sizeof(row->name), profile_get_string(p, f->name), 0);
	row_index_set_text(row->where, sizeof(row->where), profile_get_string(p, f->file), line);
}

static void set_function_row(const struct profile *p, struct top_row *row, const struct tally_row *t)
{
	set_function(p, row, t->id, profile_get_function(p, t->id)->start_line);
	set_counts(p, row, t->self, t->total);
}

static void set_line_row(const struct profile *p, struct top_row *row, const struct tally_row *t)
{
	set_function(p, row, t->id, t->line);
	set_counts(p, row, t->self, t->self);
}

static int add_functions(const struct profile *p, const struct tally_rows *from, struct top_rows *to,
			 void (*set)(const struct profile *, struct top_row *, const struct tally_row *))
{
	to->rows = calloc(from->n + 1, sizeof(*to->rows));
	if (!to->rows)
		return -ENOMEM;
	for (__u32 i = 0; i < from->n; i++)
		if (from->rows[i].self || from->rows[i].total)
			set(p, &to->rows[to->count++], &from->rows[i]);
	return 0;
}

static void set_owner(const struct profile *p, struct top_row *row, enum top_view view, __u32 id)
{
	const struct profile_owner *o = profile_get_owner(p, id);
	char where[64];

	switch (view) {
	case TOP_THREADS:
		snprintf(where, sizeof(where), "%u in %u %.16s", o->tid, o->pid,
			 profile_get_string(p, o->comm));
		row_index_set_text(row->name, sizeof(row->name), profile_get_string(p, o->thread), 0);
		break;
	case TOP_PODS:
		row_index_set_text(row->name, sizeof(row->name),
				   o->pod ? profile_get_string(p, o->pod) : "(no pod)", 0);
		snprintf(where, sizeof(where), "%.60s", profile_get_string(p, o->namespace));
		break;
	case TOP_ENDPOINTS:
		row_index_set_text(row->name, sizeof(row->name),
				   o->endpoint ? profile_get_string(p, o->endpoint) : "(no endpoint)", 0);
		snprintf(where, sizeof(where), "%.16s", profile_get_string(p, o->comm));
		break;
	default:
		snprintf(where, sizeof(where), "%u", o->pid);
		row_index_set_text(row->name, sizeof(row->name), profile_get_string(p, o->comm), 0);
	}
	row_index_set_text(row->where, sizeof(row->where), where, 0);
}

/* Owners with the same texts are one row. */
static int add_owners(const struct profile *p, const struct tally *t, enum top_view view, struct top_rows *to)
{
	const __u32 owners = profile_count(p, PROFILE_OWNER);
	_cleanup_row_index_ struct row_index *all = NULL;

	to->rows = calloc(owners + 1, sizeof(*to->rows));
	if (!to->rows)
		return -ENOMEM;
	for (__u32 id = 1; id <= owners; id++) {
		struct top_row *row;

		if (!t->owners[id - 1])
			continue;
		set_owner(p, &to->rows[to->count], view, id);
		row = row_index_merge(&all, to);
		if (!row)
			return -ENOMEM;
		row->self += cpus_of(p, t->owners[id - 1]);
		row->total = row->self;
	}
	return 0;
}

static int add_rows_of_view(const struct profile *p, const struct tally *t, enum top_view view,
			    struct top_rows *to)
{
	switch (view) {
	case TOP_FUNCTIONS:
		return add_functions(p, &t->functions, to, set_function_row);
	case TOP_LINES:
		return add_functions(p, &t->lines, to, set_line_row);
	case TOP_NATIVE:
		return add_functions(p, &t->natives, to, set_function_row);
	case TOP_PACKAGES:
		return packages_add(p, cpus_of, to);
	case TOP_WAITS:
		return waiters_add(p, cpus_of, to);
	default:
		return add_owners(p, t, view, to);
	}
}

int top_rows_make(const struct profile *p, enum top_view view, struct top_rows *ret)
{
	struct tally t;
	int err = tally_make(p, &t);

	*ret = (struct top_rows){ .all = cpus_of(p, profile_total(p)) };
	if (*event_rows[profile_shown(p)].period)
		ret->samples = profile_total_of(p, profile_shown(p));
	for (__u32 i = 0; !err && i < t.markers.n; i++) {
		const struct tally_row *row = &t.markers.rows[i];
		const bool is_of_c = profile_get_function(p, row->id)->kind == FRAME_C_THREAD;

		*(is_of_c ? &ret->of_c : &ret->lost) += cpus_of(p, row->self);
	}
	err = err ?: add_rows_of_view(p, &t, view, ret);
	tally_free(&t);
	return err;
}

typedef void (*row_setter)(struct top_row *same, const struct top_row *row, double factor);

/* Calls set with each row of the other and the same row of this one: one of 0, if there was none. */
static int join_rows(struct top_rows *r, const struct top_rows *other, row_setter set, double factor)
{
	_cleanup_row_index_ struct row_index *all = NULL;
	const size_t now = r->count;
	struct top_row *rows = realloc(r->rows, (now + other->count + 1) * sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	r->rows = rows;
	for (size_t i = 0; i < now; i++)
		if (row_index_add(&all, &rows[i]))
			return -ENOMEM;
	for (size_t i = 0; i < other->count; i++) {
		struct top_row *same = row_index_find(all, &other->rows[i]);

		if (!same) {
			same = &rows[r->count++];
			*same = other->rows[i];
			same->self = same->total = same->before = same->since = 0;
		}
		set(same, &other->rows[i], factor);
	}
	return 0;
}

static void set_before(struct top_row *same, const struct top_row *row, double factor)
{
	same->before = row->self * factor;
}

static void set_since(struct top_row *same, const struct top_row *row, double factor)
{
	same->since = row->self * factor;
}

int top_rows_compare(struct top_rows *r, const struct top_rows *before)
{
	return join_rows(r, before, set_before, 1);
}

int top_rows_add_since(struct top_rows *r, const struct top_rows *whole, double of_one_cpu)
{
	return join_rows(r, whole, set_since, of_one_cpu);
}

static double change_of(const struct top_row *row)
{
	return row->self > row->before ? row->self - row->before : row->before - row->self;
}

static int by_number(double x, double y, const struct top_row *a, const struct top_row *b)
{
	if (x != y)
		return x < y ? 1 : -1;
	return row_index_compare(a, b);
}

static int by_self(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;

	return by_number(x->self, y->self, x, y);
}

static int by_total(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;

	return by_number(x->total, y->total, x, y);
}

static int by_since(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;

	return by_number(x->since, y->since, x, y);
}

static int by_change(const void *a, const void *b)
{
	return by_number(change_of(a), change_of(b), a, b);
}

void top_rows_sort(struct top_rows *r, enum top_order order)
{
	static int (*const orders[TOP_ORDERS])(const void *, const void *) = {
		[TOP_BY_SELF] = by_self, [TOP_BY_TOTAL] = by_total, [TOP_BY_SINCE] = by_since,
		[TOP_BY_CHANGE] = by_change
	};

	qsort(r->rows, r->count, sizeof(*r->rows), orders[order]);
}

void top_rows_filter(struct top_rows *r, const char *text)
{
	size_t kept = 0;

	for (size_t i = 0; *text && i < r->count; i++)
		if (strcasestr(r->rows[i].name, text) || strcasestr(r->rows[i].where, text))
			r->rows[kept++] = r->rows[i];
	if (*text)
		r->count = kept;
}

/* How much of a place is the file, before ":LINE". */
static size_t file_length(const char *where)
{
	const char *colon = strrchr(where, ':');

	return colon ? (size_t)(colon - where) : strlen(where);
}

void top_rows_keep_lines_of(struct top_rows *r, const struct top_row *function)
{
	const size_t length = file_length(function->where);
	size_t kept = 0;

	for (size_t i = 0; i < r->count; i++)
		if (!strcmp(r->rows[i].name, function->name) && file_length(r->rows[i].where) == length &&
		    !memcmp(r->rows[i].where, function->where, length))
			r->rows[kept++] = r->rows[i];
	r->count = kept;
}
