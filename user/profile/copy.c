// SPDX-License-Identifier: GPL-2.0-only
#include "profile/copy.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/buf.h"

/* A location in the profile that is being filled, if it got there since copier_begin() number `turn`. */
struct copied {
	__u32 turn, id;
};

struct copier {
	const struct profile *from;
	struct profile *to;
	__u32 turn;
	struct copied *locations; /* by the id in `from` */
	struct buf stack;	  /* __u32[]: frames of the sample at hand, in `to` */
};

int copier_new(struct copier **ret, const struct profile *from)
{
	_cleanup_copier_ struct copier *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->from = from;
	c->locations = calloc((size_t)profile_count(from, PROFILE_LOCATION) + 1, sizeof(*c->locations));
	if (!c->locations)
		return -ENOMEM;
	*ret = TAKE_PTR(c);
	return 0;
}

void copier_free(struct copier *c)
{
	if (!c)
		return;
	free(c->locations);
	buf_free(&c->stack);
	free(c);
}

void copier_begin(struct copier *c, struct profile *to)
{
	c->to = to;
	c->turn++;
}

static int copy_mapping(struct copier *c, __u32 id, __u32 *ret)
{
	const struct profile_mapping *m;

	*ret = 0;
	if (!id)
		return 0;
	m = profile_get_mapping(c->from, id);
	return profile_mapping(c->to, profile_get_string(c->from, m->file), profile_get_string(c->from, m->build_id),
			       ret);
}

static int copy_location(struct copier *c, __u32 id, __u32 *ret)
{
	const struct profile_location *l = profile_get_location(c->from, id);
	const struct profile_function *f = profile_get_function(c->from, l->function);
	__u32 function, mapping;

	return copy_mapping(c, l->mapping, &mapping) ?:
	       profile_function(c->to, f->kind, profile_get_string(c->from, f->name),
				profile_get_string(c->from, f->file), f->start_line, &function) ?:
	       profile_location(c->to, function, l->line, l->column, mapping, ret);
}

/* Whether there is anything to copy. */
static bool counts(const struct copier *c, const struct profile_stack *sample)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		if (profile_get_info(c->to)->events & EVENT_BIT(kind) && sample->counts[kind])
			return true;
	return false;
}

static int copy_stack(struct copier *c, const struct profile_stack *sample)
{
	int err;

	buf_clear(&c->stack);
	for (__u32 i = 0; i < sample->n; i++) {
		struct copied *l = &c->locations[sample->locations[i]];

		if (l->turn != c->turn) {
			err = copy_location(c, sample->locations[i], &l->id);
			if (err)
				return err;
			l->turn = c->turn;
		}
		err = buf_add(&c->stack, &l->id, sizeof(l->id));
		if (err)
			return err;
	}
	return 0;
}

int copier_add(struct copier *c, const struct profile_stack *sample, const struct profile_labels *labels)
{
	const __u32 events = profile_get_info(c->to)->events;
	int err;

	if (!counts(c, sample))
		return 0;
	err = copy_stack(c, sample);
	for (int kind = 0; !err && kind < EVENT_KINDS; kind++)
		if (events & EVENT_BIT(kind))
			err = profile_sample(c->to, kind, (const __u32 *)c->stack.data, sample->n, labels,
					     sample->counts[kind]);
	return err;
}
