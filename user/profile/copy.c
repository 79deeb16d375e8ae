// SPDX-License-Identifier: GPL-2.0-only
#include "profile/copy.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/buf.h"
#include "profile/frames.h"

/* The number of a record in `to`, if it was copied there since copier_begin() number `turn`. */
struct copied {
	__u32 turn, id;
};

struct copier {
	const struct profile *from;
	struct profile *to;
	bool hide_native;
	__u32 turn;
	struct copied *mappings, *functions, *locations; /* by the id in `from` */
	struct buf stack;				 /* __u32[]: frames of the sample at hand, in `to` */
};

static struct copied *new_copied(const struct profile *from, enum profile_kind kind)
{
	return calloc((size_t)profile_count(from, kind) + 1, sizeof(struct copied));
}

int copier_new(struct copier **ret, const struct profile *from)
{
	_cleanup_copier_ struct copier *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->from = from;
	c->mappings = new_copied(from, PROFILE_MAPPING);
	c->functions = new_copied(from, PROFILE_FUNCTION);
	c->locations = new_copied(from, PROFILE_LOCATION);
	if (!c->mappings || !c->functions || !c->locations)
		return -ENOMEM;
	*ret = TAKE_PTR(c);
	return 0;
}

void copier_free(struct copier *c)
{
	if (!c)
		return;
	free(c->mappings);
	free(c->functions);
	free(c->locations);
	buf_free(&c->stack);
	free(c);
}

void copier_hide_native(struct copier *c)
{
	c->hide_native = true;
}

void copier_begin(struct copier *c, struct profile *to)
{
	c->to = to;
	c->turn++;
}

static int copy_mapping(struct copier *c, __u32 id, __u32 *ret)
{
	const struct profile_mapping *m = profile_get_mapping(c->from, id);

	const char *file = profile_get_string(c->from, m->file);
	const char *build_id = profile_get_string(c->from, m->build_id);

	return m->is_native ?
		       profile_mapping_native(c->to, file, build_id, m->is_even ? &m->shift : NULL, ret) :
		       profile_mapping(c->to, file, build_id, ret);
}

static int copy_function(struct copier *c, __u32 id, __u32 *ret)
{
	const struct profile_function *f = profile_get_function(c->from, id);

	return profile_function(c->to, f->kind, profile_get_string(c->from, f->name),
				profile_get_string(c->from, f->file), f->start_line, ret);
}

/* The id of a record in `to`, which is copied if it is not there yet. */
static int find_copied(struct copier *c, struct copied *records, __u32 id,
		       int (*copy)(struct copier *c, __u32 id, __u32 *ret), __u32 *ret)
{
	struct copied *r = &records[id];
	int err = r->turn == c->turn ? 0 : copy(c, id, &r->id);

	if (err)
		return err;
	r->turn = c->turn;
	*ret = r->id;
	return 0;
}

static int copy_location(struct copier *c, __u32 id, __u32 *ret)
{
	const struct profile_location *l = profile_get_location(c->from, id);
	__u32 function, mapping = 0, around = 0;
	int err = l->mapping ? find_copied(c, c->mappings, l->mapping, copy_mapping, &mapping) : 0;

	err = err ?: find_copied(c, c->functions, l->function, copy_function, &function);
	if (!err && l->around) /* which was there first, so that this ends */
		err = find_copied(c, c->locations, l->around, copy_location, &around);
	if (err)
		return err;
	return l->offset ? profile_location_line(c->to, function, l->line, mapping, l->offset, around, ret) :
			   profile_location(c->to, function, l->line, l->column, mapping, ret);
}

/* Whether there is anything to copy. */
static bool counts(const struct copier *c, const struct profile_stack *sample)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		if (profile_get_info(c->to)->events & EVENT_BIT(kind) && sample->counts[kind])
			return true;
	return profile_get_info(c->to)->timed && profile_get_info(c->to)->events & EVENT_BIT(EVENT_CPU) &&
	       sample->counts[PROFILE_TIME];
}

static bool is_hidden(const struct copier *c, __u32 location)
{
	const __u32 function = profile_get_location(c->from, location)->function;

	return c->hide_native && frame_is_native(profile_get_function(c->from, function)->kind);
}

static int add_marker(struct copier *c)
{
	__u32 function, id;
	int err = profile_function(c->to, FRAME_MARKER, FRAME_ALL_HIDDEN, "", 0, &function);

	err = err ?: profile_location(c->to, function, 0, 0, 0, &id);
	return err ?: buf_add(&c->stack, &id, sizeof(id));
}

static int copy_stack(struct copier *c, const struct profile_stack *sample)
{
	int err = 0;

	buf_clear(&c->stack);
	for (__u32 i = 0; !err && i < sample->n; i++) {
		__u32 id;

		if (is_hidden(c, sample->locations[i]))
			continue;
		err = find_copied(c, c->locations, sample->locations[i], copy_location, &id) ?:
		      buf_add(&c->stack, &id, sizeof(id));
	}
	return err || c->stack.size ? err : add_marker(c);
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
			err = profile_sample(c->to, kind, (const __u32 *)c->stack.data,
					     c->stack.size / sizeof(__u32), labels, sample->counts[kind]);
	if (!err && profile_get_info(c->to)->timed && events & EVENT_BIT(EVENT_CPU))
		err = profile_sample(c->to, PROFILE_TIME, (const __u32 *)c->stack.data,
				     c->stack.size / sizeof(__u32), labels, sample->counts[PROFILE_TIME]);
	return err;
}
