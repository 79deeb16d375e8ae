// SPDX-License-Identifier: GPL-2.0-only
/*
 * write_profile.c - see write_profile.h. It undoes what read_profile.c and the encoder of pprof do: types
 * become kinds of events again, places locations, and labels owners.
 */
#include "recorded/write_profile.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "profile/events.h"
#include "profile/frames.h"
#include "profile/profile.h"
#include "recorded/recorded.h"

struct profile_writer {
	struct recorded *recorded;
	const bool *takes;
	struct profile *profile;
	struct profile_info info;
	int columns[EVENT_KINDS + 1];	/* by kind, and PROFILE_TIME: which type it is; -1 = none */
	__u32 keys[LABEL_COUNT];	/* strings: of labels */
	__u32 extra[PROFILE_EXTRA_MAX]; /* strings: of labels that others have */
	__u32 *locations;		/* by place id - 1 */
	struct buf stack;		/* __u32[]: of one stack */
	char *error;
	size_t error_size;
};

static int refuse(const struct profile_writer *w, const char *why)
{
	snprintf(w->error, w->error_size, "%s: it can be written as pprof alone, to FILE.pb.gz", why);
	return -EINVAL;
}

/* --- what it says of itself ----------------------------------------------------------------------------- */

/* The time that ticks stand for is a type beside that of their number. */
static int find_columns(struct profile_writer *w, const size_t *only)
{
	const struct recorded *r = w->recorded;
	int *columns = w->columns;

	for (int kind = 0; kind < EVENT_KINDS; kind++)
		columns[kind] =
			recorded_find_type(r, event_rows[kind].type, event_unit_name(event_rows[kind].unit));
	columns[PROFILE_TIME] =
		recorded_find_type(r, event_rows[EVENT_CPU].period, event_unit_name(UNIT_NANOSECONDS));
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		const bool is_cpu = kind == EVENT_CPU && columns[PROFILE_TIME] >= 0;
		const bool is_there = columns[kind] >= 0 || is_cpu;
		const bool is_asked = !only || columns[kind] == (int)*only ||
				      (is_cpu && columns[PROFILE_TIME] == (int)*only);

		if (is_there && is_asked)
			w->info.events |= EVENT_BIT(kind);
	}
	return w->info.events ? 0 : refuse(w, "what it measures is of no kind that this program has");
}

static __s64 value_of(const struct profile_writer *w, const struct recorded_stack *s, int kind)
{
	return w->columns[kind] < 0 ? 0 : s->values[w->columns[kind]];
}

/* Times are the kernel's account where they are not those of the ticks. */
static bool is_timed(const struct profile_writer *w)
{
	__s64 product;

	if (w->columns[PROFILE_TIME] < 0)
		return false;
	for (__u32 id = 1; id <= recorded_stacks(w->recorded); id++) {
		const struct recorded_stack s = recorded_get_stack(w->recorded, id);

		if (__builtin_mul_overflow(value_of(w, &s, EVENT_CPU), w->info.period_ns, &product) ||
		    product != value_of(w, &s, PROFILE_TIME))
			return true;
	}
	return false;
}

static bool is_period_of_cpu(const struct recorded *r)
{
	return r->period > 0 &&
	       !strcmp(recorded_get_string(r, r->period_type.type), event_rows[EVENT_CPU].period) &&
	       !strcmp(recorded_get_string(r, r->period_type.unit), event_unit_name(UNIT_NANOSECONDS));
}

/* Of files of others the period may not be known: then times are as they are there, and it says nothing. */
static void set_info(struct profile_writer *w)
{
	const struct recorded *r = w->recorded;
	struct profile_info *info = &w->info;
	const bool is_known = is_period_of_cpu(r);

	info->period_ns = is_known ? r->period : 1;
	info->frequency = is_known ? ((__s64)NS_PER_SECOND + r->period / 2) / r->period : 0;
	info->start_unix_ns = r->start_ns;
	info->duration_ns = r->duration_ns;
	info->ticks_came = r->ticks_came;
	info->ticks_wanted = r->ticks_wanted;
	info->unlooked = r->unlooked > UINT32_MAX ? UINT32_MAX : r->unlooked;
	info->unanalysed = r->unanalysed;
	info->forbidden = r->forbidden;
	info->timed = info->events & EVENT_BIT(EVENT_CPU) && is_timed(w);
}

/* --- labels --------------------------------------------------------------------------------------------- */

static int find_label(const struct profile_writer *w, __u32 key)
{
	for (int i = 0; i < LABEL_COUNT; i++)
		if (w->keys[i] == key)
			return i;
	return -1;
}

static int find_extra(const struct profile_writer *w, __u32 key)
{
	for (__u32 i = 0; i < w->info.extra_count; i++)
		if (w->extra[i] == key)
			return i;
	return -1;
}

/* The first that are met have room. */
static void add_extra(struct profile_writer *w, const struct recorded_label *l)
{
	if (l->is_number || find_label(w, l->key) >= 0 || find_extra(w, l->key) >= 0 ||
	    w->info.extra_count == PROFILE_EXTRA_MAX)
		return;
	w->info.extra[w->info.extra_count] = recorded_get_string(w->recorded, l->key);
	w->extra[w->info.extra_count++] = l->key;
}

static int find_keys(struct profile_writer *w)
{
	const char *key;

	for (int i = 0; i < LABEL_COUNT; i++) {
		key = label_rows[i].key;
		if (recorded_string(w->recorded, key, strlen(key), &w->keys[i]))
			return -ENOMEM;
	}
	for (__u32 id = 1; id <= recorded_stacks(w->recorded); id++) {
		const struct recorded_stack s = recorded_get_stack(w->recorded, id);

		for (size_t i = 0; i < s.label_count; i++)
			add_extra(w, &s.labels[i]);
	}
	return 0;
}

static struct profile_labels labels_of(const struct profile_writer *w, const struct recorded_stack *s)
{
	struct profile_labels to = { 0 };

	for (size_t i = 0; i < s->label_count; i++) {
		const struct recorded_label *l = &s->labels[i];
		const int label = find_label(w, l->key), extra = find_extra(w, l->key);
		const char *text = recorded_get_string(w->recorded, l->text);

		if (label >= 0 && l->is_number != label_rows[label].is_text) {
			if (!l->is_number)
				profile_labels_set(&to, label, text);
			else if (l->number == (label_number)l->number)
				profile_labels_set_number(&to, label, l->number);
		} else if (extra >= 0 && !l->is_number) {
			to.extra[extra] = text;
		}
	}
	return to;
}

/* --- places --------------------------------------------------------------------------------------------- */

static int as_int(__s64 number)
{
	return number > 0 && number <= INT_MAX ? number : 0;
}

static bool is_of_machine(enum frame_kind kind)
{
	return kind == FRAME_NATIVE || kind == FRAME_KERNEL;
}

static int write_mapping(struct profile_writer *w, const struct recorded_place *p, __u32 *ret)
{
	const struct recorded *r = w->recorded;
	const struct recorded_mapping *m;
	const char *file, *build_id;

	*ret = 0;
	if (!p->mapping)
		return 0;
	m = recorded_get_mapping(r, p->mapping);
	file = recorded_get_string(r, m->file);
	build_id = recorded_get_string(r, m->build_id);
	return is_of_machine(p->kind) ? profile_mapping_native(w->profile, file, build_id, NULL, ret) :
					profile_mapping(w->profile, file, build_id, ret);
}

static int write_function(struct profile_writer *w, const struct recorded_place *p, __u32 *ret)
{
	const struct recorded *r = w->recorded;
	const struct recorded_function *f = recorded_get_function(r, p->function);

	return profile_function(w->profile, p->kind, recorded_get_string(r, f->name),
				recorded_get_string(r, f->file), as_int(f->start_line), ret);
}

static int write_place(struct profile_writer *w, __u32 id)
{
	const struct recorded_place *p = recorded_get_place(w->recorded, id);
	__u32 mapping, function, *ret = &w->locations[id - 1];
	int err = write_mapping(w, p, &mapping) ?: write_function(w, p, &function);

	if (err)
		return err;
	if (!is_of_machine(p->kind))
		return profile_location(w->profile, function, as_int(p->line), as_int(p->column), mapping,
					ret);
	return profile_location_line(w->profile, function, as_int(p->line), mapping, (__u32)p->address, 0,
				     ret);
}

static int write_places(struct profile_writer *w)
{
	const __u32 n = w->recorded->places.count;
	int err = 0;

	w->locations = calloc((size_t)n + 1, sizeof(*w->locations));
	for (__u32 id = 1; w->locations && id <= n && !err; id++)
		err = write_place(w, id);
	return w->locations ? err : -ENOMEM;
}

/* --- samples -------------------------------------------------------------------------------------------- */

/* Deeper ones lose the frames at their root, which cannot be told from others any more. */
static int find_locations(struct profile_writer *w, const struct recorded_stack *s, size_t *n)
{
	int err = 0;

	*n = s->n < PROFILE_FRAMES_MAX ? s->n : PROFILE_FRAMES_MAX;
	buf_clear(&w->stack);
	for (size_t i = 0; i < *n && !err; i++)
		err = buf_add(&w->stack, &w->locations[s->places[i] - 1], sizeof(*w->locations));
	return err;
}

static int write_value(struct profile_writer *w, int kind, const struct recorded_stack *s, size_t n)
{
	const struct profile_labels labels = labels_of(w, s);
	__s64 value = value_of(w, s, kind);

	if (kind == EVENT_CPU && w->columns[EVENT_CPU] < 0) /* only times are known */
		value = value_of(w, s, PROFILE_TIME) / w->info.period_ns;
	if (value < 0)
		return refuse(w, "it is a difference of two profiles");
	return profile_sample(w->profile, kind, (const __u32 *)w->stack.data, n, &labels, value);
}

static int write_stack(struct profile_writer *w, __u32 id)
{
	const struct recorded_stack s = recorded_get_stack(w->recorded, id);
	size_t n;
	int err = find_locations(w, &s, &n);

	for (int kind = 0; kind < EVENT_KINDS && n && !err; kind++)
		if (w->info.events & EVENT_BIT(kind))
			err = write_value(w, kind, &s, n);
	if (!err && n && w->info.timed)
		err = write_value(w, PROFILE_TIME, &s, n);
	return err;
}

static int add_stacks(struct profile_writer *w)
{
	int err = 0;

	for (__u32 id = 1; id <= recorded_stacks(w->recorded) && !err; id++)
		if (!w->takes || w->takes[id - 1])
			err = write_stack(w, id);
	return err;
}

int write_profile(struct recorded *r, const struct write_profile_wish *wish, struct profile **ret,
		  char *error, size_t size)
{
	struct profile_writer w = { .recorded = r, .takes = wish->takes, .error = error, .error_size = size };
	int err = find_columns(&w, wish->only_type) ?: find_keys(&w);

	if (!err) {
		set_info(&w);
		err = profile_new(&w.info, &w.profile) ?: write_places(&w) ?: add_stacks(&w);
	}
	free(w.locations);
	buf_free(&w.stack);
	if (err)
		profile_free(w.profile);
	else
		*ret = w.profile;
	return err;
}
