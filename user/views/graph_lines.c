// SPDX-License-Identifier: GPL-2.0-only
/*
 * graph_lines.c - see graph_lines.h. Whose time a stack's is, own_time.h says.
 */
#include "views/graph_lines.h"

#include <errno.h>
#include <stdlib.h>

#include "profile/own_time.h"

struct graph_line {
	__u32 function, line;
	__u32 seen_in; /* the last sample that it was counted in */
	__u64 self, total;
};

struct graph_lines {
	const struct profile *profile;
	__u32 *order;	/* locations, by function and line */
	__u32 *line_of; /* by id of a location; 0 = it has none, else the place in all plus 1 */
	struct graph_line *all;
	__u32 count;
};

static int compare_lines(const void *a, const void *b, void *context)
{
	const struct profile *p = context;
	const struct profile_location *x = profile_get_location(p, *(const __u32 *)a);
	const struct profile_location *y = profile_get_location(p, *(const __u32 *)b);

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Several locations are one line: they have different columns, or addresses. */
static void number_lines(struct graph_lines *l)
{
	const __u32 locations = profile_count(l->profile, PROFILE_LOCATION);

	for (__u32 i = 0; i < locations; i++)
		l->order[i] = i + 1;
	qsort_r(l->order, locations, sizeof(*l->order), compare_lines, (void *)l->profile);
	for (__u32 i = 0; i < locations; i++) {
		const struct profile_location *at = profile_get_location(l->profile, l->order[i]);
		const struct graph_line *last = l->count ? &l->all[l->count - 1] : NULL;

		if (!at->line)
			continue;
		if (!last || last->function != at->function || last->line != at->line)
			l->all[l->count++] =
				(struct graph_line){ .function = at->function, .line = at->line };
		l->line_of[l->order[i]] = l->count;
	}
}

static void count_stack(struct graph_lines *l, __u32 id)
{
	const struct profile_stack s = profile_get_sample(l->profile, id);
	const __u32 own = own_time_frame(l->profile, &s, 0, s.n);

	for (__u32 i = own; s.count && i < s.n; i++) {
		const __u32 place = l->line_of[s.locations[i]];
		struct graph_line *line = &l->all[place - 1];

		if (!place)
			continue;
		if (i == own)
			line->self += s.count;
		if (line->seen_in != id)
			line->total += s.count;
		line->seen_in = id;
	}
}

static int add_line_column(const struct graph_lines *l, struct graph_tables *t, const char *name,
			   struct buf *out)
{
	bool any = false;
	int err = buf_printf(out, "\"%s\":[", name);

	for (__u32 i = 0; i < l->count && !err; i++) {
		const struct graph_line *line = &l->all[i];
		__u64 value = *name == 'l' ? line->line : *name == 's' ? line->self : line->total;
		__u32 place;

		if (!line->total)
			continue;
		if (*name == 'f') {
			err = graph_function(t, line->function, &place);
			value = err ? 0 : place;
		}
		err = err ?: any ? buf_add(out, ",", 1) : 0;
		err = err ?: buf_add_number(out, value);
		any = true;
	}
	return err ?: buf_add_string(out, "]");
}

static int add_lines(struct graph_lines *l, struct graph_tables *t, const bool *stop, struct buf *out)
{
	static const char *const columns[] = { "function", "line", "self", "total" };
	int err = 0;

	number_lines(l);
	for (__u32 id = 1; id <= profile_count(l->profile, PROFILE_SAMPLE); id++) {
		if (stop && __atomic_load_n(stop, __ATOMIC_RELAXED))
			return -ECANCELED;
		count_stack(l, id);
	}
	for (size_t i = 0; i < ARRAY_SIZE(columns) && !err; i++)
		err = buf_add_string(out, i ? "," : ",\"lines\":{") ?: add_line_column(l, t, columns[i], out);
	return err ?: buf_add_string(out, "}");
}

int graph_add_lines(struct graph_tables *t, const bool *stop, struct buf *out)
{
	const size_t n = (size_t)profile_count(t->profile, PROFILE_LOCATION) + 1;
	_cleanup_free_ __u32 *order = calloc(n, sizeof(*order));
	_cleanup_free_ __u32 *line_of = calloc(n, sizeof(*line_of));
	_cleanup_free_ struct graph_line *all = calloc(n, sizeof(*all));
	struct graph_lines l = { .profile = t->profile, .order = order, .line_of = line_of, .all = all };

	if (!order || !line_of || !all)
		return -ENOMEM;
	return add_lines(&l, t, stop, out);
}
