// SPDX-License-Identifier: GPL-2.0-only
#include "report/compared.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorded/read_pprof.h"
#include "report/chance.h"

void compared_free(struct compared *c)
{
	report_selection_free(&c->base.chosen);
	report_selection_free(&c->now.chosen);
	table_free(&c->base.table);
	table_free(&c->now.table);
	free(c->rows);
	*c = (struct compared){ 0 };
}

static int make_side(struct compared_side *s, struct recorded *r, const struct report_query *q, bool is_base,
		     char *error, size_t size)
{
	enum answer_by by = BY_FUNCTION;
	const char *label = NULL;
	int err = report_selection_make(r, q, &s->chosen, error, size) ?:
		  report_selection_keep_side(&s->chosen, is_base);

	if (!err && q->by)
		err = report_query_by(q->by, &by, &label);
	return err ?: table_make(&s->chosen, r, q, by, label, &s->table);
}

static double ratio(double a, double b)
{
	return b > 0 && a > 0 ? a / b : 1;
}

static double find_scale(const struct compared *c, const struct compared_scaling *scaling)
{
	const enum compared_scale scale = scaling->by;

	if (scale == SCALE_PER)
		return ratio(scaling->new_per, scaling->base_per);
	if (scale == SCALE_TIME)
		return ratio((double)c->now.duration_ns, (double)c->base.duration_ns);
	if (scale == SCALE_SAMPLES)
		return ratio((double)c->now.chosen.total, (double)c->base.chosen.total);
	return 1;
}

/* How many samples a value stands for. */
static double samples_of(const struct compared_side *s, __s64 value)
{
	return s->chosen.total ? (double)value * (double)s->chosen.samples / (double)s->chosen.total : 0;
}

/*
 * Counts of samples vary as Poisson's do: by the root of themselves. With none at all one could as well have
 * been seen.
 */
static void find_chance(const struct compared *c, struct compared_row *row)
{
	const double base = samples_of(&c->base, row->base_self), now = samples_of(&c->now, row->new_self);
	const double base_one = c->base.chosen.samples ?
		(double)c->base.chosen.total / (double)c->base.chosen.samples * c->scale : 0;
	const double now_one = c->now.chosen.samples ?
		(double)c->now.chosen.total / (double)c->now.chosen.samples : 0;
	const double deviation = chance_deviation(base > 1 ? base : 1, base_one, now > 1 ? now : 1, now_one);

	row->self_low = row->self - CHANCE_Z * deviation;
	row->self_high = row->self + CHANCE_Z * deviation;
	row->is_beyond = row->self > CHANCE_Z_RARE * deviation || row->self < -CHANCE_Z_RARE * deviation;
}

void compared_find(const struct compared *c, struct compared_row *row)
{
	row->self = (double)row->new_self - c->scale * (double)row->base_self;
	row->total = (double)row->new_total - c->scale * (double)row->base_total;
	row->self_low = row->self_high = row->self;
	row->is_beyond = !!row->self;
	if (c->has_chance)
		find_chance(c, row);
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct compared *c = context;
	const struct compared_row *x = a, *y = b;
	const double d = fabs(y->self) - fabs(x->self), e = fabs(y->total) - fabs(x->total);

	if (d || e)
		return (d ?: e) > 0 ? 1 : -1;
	return strcmp(recorded_get_string(c->recorded, x->key.name),
		      recorded_get_string(c->recorded, y->key.name)) ?:
	       (x->key.line > y->key.line) - (x->key.line < y->key.line);
}

double compared_points(const struct compared *c, double difference)
{
	const double whole = c->scale * (double)c->base.chosen.total;

	return whole > 0 ? 100 * difference / whole : 0;
}

/* Of a store's profile the number of ticks may not be there, for one side as for both. */
static bool can_tell_chance(const struct compared_side *s)
{
	return s->chosen.has_counts && (s->chosen.samples || !s->chosen.total);
}

int compared_make(struct recorded *r, const struct report_query *q, const struct compared_scaling *scaling,
		  __s64 base_ns, __s64 new_ns, struct compared *ret, char *error, size_t size)
{
	int err;

	*ret = (struct compared){ .recorded = r };
	ret->base.duration_ns = base_ns;
	ret->now.duration_ns = new_ns;
	err = make_side(&ret->base, r, q, true, error, size) ?:
	      make_side(&ret->now, r, q, false, error, size) ?: compared_join(ret);
	if (err)
		return err;
	ret->scale = find_scale(ret, scaling);
	ret->is_scaled_by_work = scaling->by == SCALE_SAMPLES;
	ret->has_chance = can_tell_chance(&ret->base) && can_tell_chance(&ret->now);
	for (size_t i = 0; i < ret->count; i++)
		compared_find(ret, &ret->rows[i]);
	ret->whole.base_self = ret->whole.base_total = ret->base.chosen.kept;
	ret->whole.new_self = ret->whole.new_total = ret->now.chosen.kept;
	compared_find(ret, &ret->whole);
	if (ret->count) /* without rows there is no array */
		qsort_r(ret->rows, ret->count, sizeof(*ret->rows), compare_rows, ret);
	ret->shown = ret->count < q->top ? ret->count : q->top;
	return compared_spread(ret, r, q);
}

static bool grew(const struct compared *c, const struct compared_row *row, double share)
{
	return row->self > share * c->scale * (double)c->base.chosen.total && row->is_beyond;
}

bool compared_grew(const struct compared *c, double share, const struct compared_row **ret_row)
{
	*ret_row = NULL;
	if (grew(c, &c->whole, share))
		return true;
	for (size_t i = 0; i < c->count; i++)
		if (grew(c, &c->rows[i], share)) {
			*ret_row = &c->rows[i];
			return true;
		}
	return false;
}
