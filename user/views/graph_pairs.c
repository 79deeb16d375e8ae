// SPDX-License-Identifier: GPL-2.0-only
#include "views/graph_pairs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/frames.h"
#include "profile/own_time.h"
#include "profile/package.h"

#define NAME_MAX_BYTES 256	/* of a package, which only has to be told from the program */

struct graph_pair {
	__u32 owner, function, line;
	__u32 other, other_line; /* a function of 0: there is none */
	__u32 package;		 /* the function whose package the stack ran code of */
	__u64 self;
};

struct pairs {
	const struct profile *profile;
	struct graph_pair *all;
	size_t count;
	__u8 *program_file; /* by string: 0 = not asked yet, 1 = a file of the program, 2 = another one */
	__u8 *own;	    /* by location: 0 = not asked yet, else 1 + enum own_time */
};

static const struct profile_function *function_at(const struct pairs *l, const struct profile_stack *s,
						  __u32 i)
{
	return profile_get_function(l->profile, profile_get_location(l->profile, s->locations[i])->function);
}

static bool is_native(const struct pairs *l, const struct profile_stack *s, __u32 i)
{
	return frame_is_native(function_at(l, s, i)->kind);
}

static bool is_of_program(struct pairs *l, const struct profile_stack *s, __u32 i)
{
	const struct profile_function *f = function_at(l, s, i);
	__u8 *known = &l->program_file[f->file];
	char name[NAME_MAX_BYTES];

	if (f->kind != FRAME_PYTHON)
		return false;
	if (!*known)
		*known = 1 + (package_of(profile_get_string(l->profile, f->file), name, sizeof(name)) !=
			      PACKAGE_PROGRAM);
	return *known == 1;
}

/* The first frame of this kind from the leaf, or `end`. */
static __u32 find_kind(const struct pairs *l, const struct profile_stack *s, __u32 end, enum frame_kind kind)
{
	__u32 i = 0;

	while (i < end && function_at(l, s, i)->kind != kind)
		i++;
	return i;
}

/* The frame between the stack of the GIL's holder and that of who waits, or s->n. */
static __u32 find_holder(const struct pairs *l, const struct profile_stack *s)
{
	__u32 i = 0;

	while (i < s->n && !frame_tells_holder(function_at(l, s, i)->kind,
					       profile_get_string(l->profile, function_at(l, s, i)->name)))
		i++;
	return i;
}

/* Which of the frames explains the time of frame `own`; s->n: none does. */
static __u32 find_reason(struct pairs *l, const struct profile_stack *s, __u32 own)
{
	const __u32 end = is_native(l, s, own) ? s->n : own;
	const __u32 held = find_holder(l, s); /* of a turn of an event loop that waited for the GIL */
	__u32 i = find_kind(l, s, end, FRAME_WAIT);

	if (i == end && held < s->n)
		return held;
	if (i == end)
		i = find_kind(l, s, end, FRAME_SYSCALL);
	if (i < end)
		return i;
	for (i = own + 1; i < s->n && !is_of_program(l, s, own); i++)
		if (is_of_program(l, s, i))
			return i;
	return s->n;
}

/* The function whose package it is, by the rule for packages. */
static __u32 package_of_stack(struct pairs *l, const struct profile_stack *s)
{
	const struct profile *p = l->profile;

	for (__u32 i = 0; i < s->n; i++) {
		__u8 *known = &l->own[s->locations[i]];

		if (!*known)
			*known = 1 + own_time_of(function_at(l, s, i)->kind,
						 profile_get_string(p, own_time_file(p, s->locations[i])));
		if (*known > 1 + OWN_TIME_NEVER)
			return profile_get_location(p, s->locations[i])->function;
	}
	return profile_get_location(p, s->locations[0])->function;
}

static void add_pair(struct pairs *l, const struct profile_stack *s)
{
	const bool is_gil = event_rows[profile_shown(l->profile)].tells_holder;
	const __u32 held = is_gil ? find_holder(l, s) : s->n, below = held + 1;
	const __u32 own = own_time_frame(l->profile, s, 0, held);
	const __u32 other = !is_gil	 ? find_reason(l, s, own) :
			    below < s->n ? own_time_frame(l->profile, s, below, s->n) :
					   s->n;
	const struct profile_location *at = profile_get_location(l->profile, s->locations[own]);
	struct graph_pair *pair = &l->all[l->count++];

	*pair = (struct graph_pair){
		.owner = s->owner, .function = at->function, .line = at->line, .self = s->count,
		.package = package_of_stack(l, s),
	};
	if (other == s->n)
		return;
	at = profile_get_location(l->profile, s->locations[other]);
	pair->other = at->function;
	pair->other_line = at->line;
}

static int compare_pairs(const void *a, const void *b)
{
	return memcmp(a, b, offsetof(struct graph_pair, self));
}

static void join(struct pairs *l)
{
	size_t to = 0;

	qsort(l->all, l->count, sizeof(*l->all), compare_pairs);
	for (size_t i = 0; i < l->count; i++) {
		if (to && !compare_pairs(&l->all[to - 1], &l->all[i]))
			l->all[to - 1].self += l->all[i].self;
		else
			l->all[to++] = l->all[i];
	}
	l->count = to;
}

/* --- as JSON ------------------------------------------------------------------------------------------- */

static int place_of_column(struct graph_tables *t, const struct graph_pair *pair, size_t column, __s64 *ret)
{
	__u32 place = 0;
	int err = 0;

	switch (column) {
	case 0:
		err = graph_owner(t, pair->owner, &place);
		break;
	case 1:
		err = graph_function(t, pair->package, &place);
		break;
	case 2:
		err = graph_function(t, pair->function, &place);
		break;
	default:
		if (!pair->other) {
			*ret = -1;
			return 0;
		}
		err = graph_function(t, pair->other, &place);
	}
	if (!err)
		*ret = place;
	return err;
}

static const char *const columns[] = { "owner", "package", "function", "other", "line",
				       "other_line", "self" };

static int add_pair_column(const struct pairs *l, struct graph_tables *t, size_t column, struct buf *out)
{
	int err = buf_printf(out, "\"%s\":[", columns[column]);

	for (size_t i = 0; i < l->count && !err; i++) {
		const struct graph_pair *pair = &l->all[i];
		__s64 value = column == 4 ? pair->line : column == 5 ? pair->other_line : (__s64)pair->self;

		if (column < 4)
			err = place_of_column(t, pair, column, &value);
		err = err ?: i ? buf_add(out, ",", 1) : 0;
		err = err ?: value < 0 ? buf_add_string(out, "-1") : buf_add_number(out, value);
	}
	return err ?: buf_add_string(out, "]");
}

static int add_pairs(struct pairs *l, struct graph_tables *t, const bool *stop, struct buf *out)
{
	int err = 0;

	for (__u32 id = 1; id <= profile_count(l->profile, PROFILE_SAMPLE); id++) {
		const struct profile_stack s = profile_get_sample(l->profile, id);

		if (stop && __atomic_load_n(stop, __ATOMIC_RELAXED))
			return -ECANCELED;
		if (s.count) /* else it is of another kind of event */
			add_pair(l, &s);
	}
	join(l);
	for (size_t i = 0; i < ARRAY_SIZE(columns) && !err; i++)
		err = buf_add_string(out, i ? "," : ",\"pairs\":{") ?: add_pair_column(l, t, i, out);
	return err ?: buf_add_string(out, "}");
}

int graph_add_pairs(struct graph_tables *t, const bool *stop, struct buf *out)
{
	const struct profile *p = t->profile;
	_cleanup_free_ struct graph_pair *all = calloc((size_t)profile_count(p, PROFILE_SAMPLE) + 1,
						       sizeof(*all));
	_cleanup_free_ __u8 *program_file = calloc((size_t)profile_count(p, PROFILE_STRING) + 1, 1);
	_cleanup_free_ __u8 *own = calloc((size_t)profile_count(p, PROFILE_LOCATION) + 1, 1);
	struct pairs l = { .profile = p, .all = all, .program_file = program_file, .own = own };

	if (event_rows[profile_shown(p)].unit == UNIT_COUNT) /* a tick has nothing to explain */
		return 0;
	if (!all || !program_file || !own)
		return -ENOMEM;
	return add_pairs(&l, t, stop, out);
}
