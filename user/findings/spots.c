// SPDX-License-Identifier: GPL-2.0-only
#include "findings/spots.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "findings/says.h"
#include "profile/short_path.h"
#include "views/table_cell.h"

#define NAME_WIDTH 48
#define FILE_WIDTH 48

struct spot {
	__s64 line;
	__u32 function, unused;
};

size_t spot_own(const struct scene *s, const struct recorded_stack *stack, size_t from)
{
	size_t found = scene_find(s, stack, from, MARK_PROGRAM);

	if (found == stack->n)
		found = scene_find(s, stack, from, MARK_PYTHON);
	return found == stack->n ? SPOT_NO_FRAME : found;
}

static int add_spot(struct spots *p, const struct recorded_place *place, __s64 value)
{
	const struct spot spot = { .line = place->line, .function = place->function };
	__u32 id;
	int err = interned_add(&p->keys, &spot, sizeof(spot), &id);

	if (err)
		return err;
	if (id > p->capacity) {
		const size_t capacity = p->capacity ? p->capacity * 2 : 64;
		__s64 *values = reallocarray(p->values, capacity, sizeof(*values));

		if (!values)
			return -ENOMEM;
		memset(values + p->capacity, 0, (capacity - p->capacity) * sizeof(*values));
		p->values = values;
		p->capacity = capacity;
	}
	p->values[id - 1] = recorded_sum(p->values[id - 1], value);
	return 0;
}

int spots_make(const struct scene *s, int column, spot_frame frame, const void *what, struct spots *ret)
{
	const struct recorded *r = s->recorded;
	int err = 0;

	*ret = (struct spots){ 0 };
	for (__u32 id = 1; id <= recorded_stacks(r) && !err; id++) {
		const struct recorded_stack stack = recorded_get_stack(r, id);
		const __s64 value = scene_value(s, &stack, column);
		const size_t at = value > 0 ? frame(s, &stack, what) : SPOT_NOT_IN;

		if (s->takes)
			s->takes[id - 1] = at != SPOT_NOT_IN;
		if (at == SPOT_NOT_IN)
			continue;
		ret->value = recorded_sum(ret->value, value);
		ret->samples = recorded_sum(ret->samples, scene_value(s, &stack, EVENT_CPU));
		if (at != SPOT_NO_FRAME)
			err = add_spot(ret, recorded_get_place(r, stack.places[at]), value);
	}
	return err;
}

void spots_free(struct spots *p)
{
	interned_free(&p->keys);
	free(p->values);
	p->values = NULL;
}

static void copy_if_fits(char *to, size_t size, const char *text)
{
	snprintf(to, size, "%s", strlen(text) < size ? text : "");
}

static __u32 first(const struct spots *p)
{
	__u32 most = 0;

	for (__u32 id = 1; id <= p->keys.count; id++)
		if (!most || p->values[id - 1] > p->values[most - 1])
			most = id;
	return most;
}

__u32 spots_first_function(const struct spots *p)
{
	const __u32 most = first(p);
	const struct spot *spot = most ? interned_get(&p->keys, most, NULL) : NULL;

	return spot ? spot->function : 0;
}

struct finding_place spots_first(const struct scene *s, const struct spots *p)
{
	struct finding_place found = { .name = "" };
	const __u32 most = first(p);
	const struct recorded_function *f;
	const struct spot *spot;

	if (!most)
		return found;
	spot = interned_get(&p->keys, most, NULL);
	f = recorded_get_function(s->recorded, spot->function);
	copy_if_fits(found.name, sizeof(found.name), recorded_get_string(s->recorded, f->name));
	copy_if_fits(found.file, sizeof(found.file), recorded_get_string(s->recorded, f->file));
	found.line = spot->line;
	found.share = (double)p->values[most - 1] / (double)p->value;
	return found;
}

int spots_place(const struct scene *s, int column, spot_frame frame, const void *what,
		struct finding_place *ret)
{
	_cleanup_(spots_free) struct spots spots = { 0 };
	int err = spots_make(s, column, frame, what, &spots);

	if (!err)
		*ret = spots_first(s, &spots);
	return err;
}

int spots_select(const struct scene *s, int column, spot_frame frame, const void *what)
{
	_cleanup_(spots_free) struct spots spots = { 0 };

	return s->takes ? spots_make(s, column, frame, what, &spots) : 0;
}

/* A cell of a text, cut. */
static void cut(const char *text, size_t width, bool is_path, char *to, size_t size)
{
	_cleanup_buf_ struct buf b = { 0 };
	struct table_cell c;

	if (buf_add_string(&b, text))
		return;
	table_cell_drop_locals(&b);
	c = table_cell_cut(&b, width, is_path);
	snprintf(to, size, "%s%.*s%s", c.before, (int)c.size, c.text, c.behind);
}

struct spot_text spot_text(const struct finding_place *p)
{
	char name[4 * NAME_WIDTH + 8] = "", file[4 * FILE_WIDTH + 8] = "";
	struct spot_text t;

	cut(p->name, NAME_WIDTH, false, name, sizeof(name));
	cut(short_path(p->file), FILE_WIDTH, true, file, sizeof(file));
	if (!*file)
		snprintf(t.text, sizeof(t.text), "%s", name);
	else if (!p->line)
		snprintf(t.text, sizeof(t.text), "%s (%s)", name, file);
	else
		snprintf(t.text, sizeof(t.text), "%s (%s:%lld)", name, file, p->line);
	return t;
}

void spots_say(struct finding *f, const char *before)
{
	if (*f->place.name)
		says_text(f, "; %.1f %% of that %s %s", 100 * f->place.share, before,
			  spot_text(&f->place).text);
	says_text(f, ".");
}
