// SPDX-License-Identifier: GPL-2.0-only
#include "report/report_selection.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/asked_name.h"
#include "report/expression.h"

/* One of --focus and --ignore. */
struct choice {
	struct expression *expression; /* NULL: it is not there */
	bool took_too_much;
	const char *name; /* borrowed; of what is no more than a name, which may have its module before it */
	signed char *place_matches; /* by place id - 1: 0 = not known yet, 1, or -1 */
};

static void free_choice(struct choice *c)
{
	expression_free(c->expression);
	free(c->place_matches);
}

const char *selection_event(const struct report_selection *c)
{
	return recorded_get_string(c->recorded, c->recorded->types[c->type].type);
}

const char *selection_unit(const struct report_selection *c)
{
	return recorded_get_string(c->recorded, c->recorded->types[c->type].unit);
}

static bool is_type(const struct recorded *r, size_t type, const char *name)
{
	return !strcmp(recorded_get_string(r, r->types[type].type), name);
}

static int fail_event(const struct recorded *r, const char *event, char *error, size_t size)
{
	size_t used = snprintf(error, size, "there is no event '%.40s' in it, only", event);

	for (size_t i = 0; i < r->type_count && used < size; i++)
		used += snprintf(error + used, size - used, "%s %.40s", i ? "," : "",
				 recorded_get_string(r, r->types[i].type));
	return -EINVAL;
}

/* Without a name the one that the profile names, or the last one, as go tool pprof does. */
static int find_type(struct report_selection *c, const char *event, char *error, size_t size)
{
	const struct recorded *r = c->recorded;

	if (!event && r->default_type)
		event = recorded_get_string(r, r->default_type);
	c->type = r->type_count - 1;
	if (!event)
		return 0;
	for (size_t i = 0; i < r->type_count; i++)
		if (is_type(r, i, event)) {
			c->type = i;
			return 0;
		}
	return fail_event(r, event, error, size);
}

static bool has_unit(const struct recorded *r, size_t type, const char *unit)
{
	return !strcmp(recorded_get_string(r, r->types[type].unit), unit);
}

/* Ticks are samples; the time of ticks is counted by them. Waits and bytes are counted, each of them. */
static void find_counts(struct report_selection *c)
{
	const struct recorded *r = c->recorded;

	c->count_type = 0;
	c->has_counts = is_type(r, 0, "samples") && has_unit(r, 0, "count") &&
			(!c->type || (is_type(r, c->type, "cpu") && has_unit(r, c->type, "nanoseconds")));
}

static int compile_choice(struct choice *c, const struct recorded *r, const char *text, const char *option,
			  char *error, size_t size)
{
	int err;

	if (!text)
		return 0;
	c->place_matches = calloc((size_t)r->places.count + 1, 1);
	if (!c->place_matches)
		return -ENOMEM;
	err = expression_new(text, option, &c->expression, error, size);
	if (err)
		return err;
	c->name = asked_name_is_plain(text) ? text : NULL;
	return 0;
}

static bool matches_string(struct choice *c, const struct recorded *r, __u32 string)
{
	const int matches = string ? expression_matches(c->expression, recorded_get_string(r, string)) : 0;

	c->took_too_much |= matches < 0;
	return matches > 0;
}

static bool matches_name(const struct choice *c, const struct recorded *r, const struct recorded_function *f)
{
	return c->name &&
	       asked_name_is(recorded_get_string(r, f->name), recorded_get_string(r, f->file), c->name);
}

/* As go tool pprof: by the name of the function, its file, or the file that the code lies in. */
static bool matches_place(struct choice *c, const struct recorded *r, __u32 id)
{
	signed char *known = &c->place_matches[id - 1];

	if (!*known) {
		const struct recorded_place *p = recorded_get_place(r, id);
		const struct recorded_function *f = recorded_get_function(r, p->function);
		const bool is_mapped =
			p->mapping && matches_string(c, r, recorded_get_mapping(r, p->mapping)->file);

		*known = is_mapped || matches_string(c, r, f->name) || matches_string(c, r, f->file) ||
					 matches_name(c, r, f) ?
				 1 :
				 -1;
	}
	return *known > 0;
}

static bool matches(struct choice *c, const struct recorded *r, const struct recorded_stack *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (matches_place(c, r, s->places[i]))
			return true;
	return false;
}

static int fail_choice(const char *option, const char *text, char *error, size_t size)
{
	snprintf(error, size, "--%s '%.60s' takes too much to match with a name in it: take a simpler one",
		 option, text);
	return -EINVAL;
}

static int filter(struct report_selection *c, const struct report_query *q, char *error, size_t size)
{
	_cleanup_(free_choice) struct choice focus = { 0 }, ignore = { 0 };
	int err = compile_choice(&focus, c->recorded, q->focus, "focus", error, size) ?:
		  compile_choice(&ignore, c->recorded, q->ignore, "ignore", error, size);

	if (err || (!focus.expression && !ignore.expression && !q->only))
		return err;
	c->takes = calloc((size_t)recorded_stacks(c->recorded) + 1, sizeof(*c->takes));
	if (!c->takes)
		return -ENOMEM;
	for (__u32 id = 1; id <= recorded_stacks(c->recorded); id++) {
		const struct recorded_stack s = recorded_get_stack(c->recorded, id);

		c->takes[id - 1] = (!q->only || q->only[id - 1]) &&
				   (!focus.expression || matches(&focus, c->recorded, &s)) &&
				   (!ignore.expression || !matches(&ignore, c->recorded, &s));
		if (focus.took_too_much)
			return fail_choice("focus", q->focus, error, size);
		if (ignore.took_too_much)
			return fail_choice("ignore", q->ignore, error, size);
	}
	return 0;
}

/* Of a question about a trace only its own stacks are there. */
static int keep_trace(struct report_selection *c, const char *trace)
{
	const struct recorded *r = c->recorded;
	const size_t n = (size_t)recorded_stacks(r) + 1;
	const __u32 key = interned_find(&r->strings, "trace_id", strlen("trace_id")),
		    id = trace ? interned_find(&r->strings, trace, strlen(trace)) : 0;

	if (!trace)
		return 0;
	c->is_away = calloc(n, sizeof(*c->is_away));
	if (!c->takes) {
		c->takes = malloc(n * sizeof(*c->takes));
		if (c->takes)
			memset(c->takes, true, n * sizeof(*c->takes));
	}
	if (!c->takes || !c->is_away)
		return -ENOMEM;
	for (__u32 stack = 1; stack < n; stack++) {
		const struct recorded_stack s = recorded_get_stack(r, stack);
		const struct recorded_label *label = recorded_find_label(&s, key);

		c->is_away[stack - 1] = !label || !id || label->text != id;
		c->takes[stack - 1] &= !c->is_away[stack - 1];
	}
	return 0;
}

static __s64 magnitude(__s64 value)
{
	return value == INT64_MIN ? INT64_MAX : value < 0 ? -value : value;
}

static void add_up(struct report_selection *c)
{
	c->total = c->kept = c->samples = 0;
	for (__u32 id = 1; id <= recorded_stacks(c->recorded); id++) {
		const struct recorded_stack s = recorded_get_stack(c->recorded, id);
		const __s64 value = magnitude(s.values[c->type]);

		if (c->is_away && c->is_away[id - 1])
			continue;
		c->total = recorded_sum(c->total, value);
		if (selection_takes(c, id))
			c->kept = recorded_sum(c->kept, value);
		if (c->has_counts)
			c->samples = recorded_sum(c->samples, magnitude(s.values[c->count_type]));
	}
}

int report_selection_make(const struct recorded *r, const struct report_query *q,
			  struct report_selection *ret, char *error, size_t size)
{
	int err;

	*ret = (struct report_selection){ .recorded = r };
	err = find_type(ret, q->event, error, size) ?: filter(ret, q, error, size) ?:
	      keep_trace(ret, q->trace) ?: distinct_make(r, &ret->distinct);
	if (err)
		return err;
	find_counts(ret);
	add_up(ret);
	return 0;
}

void report_selection_free(struct report_selection *c)
{
	free(c->takes);
	free(c->is_away);
	c->takes = c->is_away = NULL;
	distinct_free(&c->distinct);
}

int report_selection_keep_side(struct report_selection *c, bool is_base)
{
	const struct recorded *r = c->recorded;
	const size_t n = (size_t)recorded_stacks(r) + 1;

	c->is_away = calloc(n, sizeof(*c->is_away));
	if (!c->is_away)
		return -ENOMEM;
	if (!c->takes) {
		c->takes = malloc(n * sizeof(*c->takes));
		if (!c->takes)
			return -ENOMEM;
		memset(c->takes, true, n * sizeof(*c->takes));
	}
	for (__u32 id = 1; id < n; id++) {
		const struct recorded_stack s = recorded_get_stack(r, id);

		c->is_away[id - 1] = !recorded_find_label(&s, r->base_label) == is_base;
		c->takes[id - 1] &= !c->is_away[id - 1];
	}
	add_up(c);
	return 0;
}
