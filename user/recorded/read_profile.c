// SPDX-License-Identifier: GPL-2.0-only
/*
 * read_profile.c - see read_profile.h. What a file would say is asked of whoever writes it: the header, where
 * places are, when samples were taken.
 */
#include "recorded/read_profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/otlp_times.h"
#include "formats/otlp_types.h"
#include "formats/pprof_places.h"
#include "formats/pprof_strings.h"
#include "recorded/read_parts.h"

#define NO_COLUMN RECORDED_TYPES_MAX

struct profile_reader {
	struct pprof_reader read; /* its lines: the place of each location */
	const struct profile *profile;
	struct pprof_strings words; /* of the header */
	struct pprof_header header;
	struct otlp_times times;
	size_t columns[PPROF_TYPES_MAX]; /* of the header's types: which of recorded, or NO_COLUMN */
	__u32 *texts;		     /* by the profile's ids: that of recorded + 1; 0 = was not needed yet */
	__u32 *mappings, *functions; /* by the profile's ids */
	__u32 keys[LABEL_COUNT], extra[PROFILE_EXTRA_MAX]; /* strings: of labels */
};

static int add_word(struct profile_reader *r, const char *word, __u32 *ret)
{
	return recorded_string(r->read.recorded, word, strlen(word), ret);
}

static int add_text(struct profile_reader *r, __u32 id, __u32 *ret)
{
	int err = 0;

	if (!r->texts[id]) {
		err = add_word(r, profile_get_string(r->profile, id), ret);
		r->texts[id] = err ? 0 : *ret + 1;
	}
	if (!err)
		*ret = r->texts[id] - 1;
	return err;
}

/* --- what it says of itself ----------------------------------------------------------------------------- */

static int find_type(struct profile_reader *r, const struct pprof_type *t, struct recorded_type *ret)
{
	return add_word(r, r->words.words[t->type], &ret->type) ?:
	       add_word(r, r->words.words[t->unit], &ret->unit);
}

static int add_type(struct profile_reader *r, size_t type)
{
	struct recorded *to = r->read.recorded;
	int err = find_type(r, &r->header.types[type], &to->types[to->type_count]);

	r->read.columns[r->read.type_count++] = to->type_count;
	r->columns[type] = to->type_count++;
	return err;
}

/* CPU time, if there is any; else what comes first. One of nothing has a type all the same. */
static int find_default(struct profile_reader *r)
{
	struct recorded *to = r->read.recorded;
	struct recorded_type cpu;
	int err = add_word(r, "cpu", &cpu.type) ?: add_word(r, "nanoseconds", &cpu.unit);

	if (err)
		return err;
	if (!to->type_count)
		to->types[to->type_count++] = cpu;
	to->default_type = to->types[0].type;
	for (size_t i = 0; i < to->type_count; i++)
		if (to->types[i].type == cpu.type)
			to->default_type = cpu.type;
	return 0;
}

static int add_types(struct profile_reader *r)
{
	struct otlp_types there = { .count = r->header.type_count };
	int err = 0;

	for (size_t i = 0; i < r->header.type_count; i++) {
		there.types[i] = i;
		r->columns[i] = NO_COLUMN;
	}
	if (r->read.recorded->trace)
		err = otlp_types_find(&r->header, &there);
	for (size_t i = 0; i < there.count && !err; i++)
		err = add_type(r, there.types[i]);
	return err;
}

static int add_period(struct profile_reader *r)
{
	struct recorded *to = r->read.recorded;

	for (size_t i = 0; i < r->header.type_count; i++) {
		if (!r->header.types[i].is_time || r->columns[i] == NO_COLUMN)
			continue;
		to->period = profile_get_info(r->profile)->period_ns;
		return to->trace ? 0 : find_type(r, &r->header.types[i], &to->period_type);
	}
	return 0;
}

static int add_comments(struct profile_reader *r)
{
	__u32 string;
	int err = 0;

	for (size_t i = 0; i < r->header.comment_count && !err; i++) {
		err = add_word(r, r->header.comments[i], &string);
		if (!err)
			recorded_comment(r->read.recorded, string);
	}
	return err;
}

static int read_facts(struct profile_reader *r)
{
	const struct profile_info *info = profile_get_info(r->profile);
	struct recorded *to = r->read.recorded;
	int err = add_types(r);

	if (err)
		return err;
	to->has_otlp = to->trace;
	if (to->trace && !to->type_count) /* nobody says anything */
		return find_default(r) ?: read_growths_begin(&r->read, 0, 0);
	if (to->trace)
		err = find_default(r);
	else
		err = add_word(r, r->words.words[pprof_header_default(&r->header)], &to->default_type);
	return err ?: add_period(r) ?: add_comments(r) ?:
	       read_times(&r->read, info->start_unix_ns, info->duration_ns) ?:
	       read_growths_begin(&r->read, info->start_unix_ns, info->duration_ns);
}

static int read_keys(struct profile_reader *r)
{
	const struct profile_info *info = profile_get_info(r->profile);
	char longer[PROFILE_STRING_MAX];
	int err = 0;

	for (int i = 0; i < LABEL_COUNT && !err; i++)
		err = add_word(r, label_rows[i].key, &r->keys[i]);
	for (__u32 i = 0; i < info->extra_count && !err; i++)
		err = add_word(r, pprof_strings_extra_name(info->extra[i], longer), &r->extra[i]);
	return err;
}

/* --- places --------------------------------------------------------------------------------------------- */

static int add_mapping(struct profile_reader *r, __u32 id)
{
	const struct profile_mapping *m = profile_get_mapping(r->profile, id);
	struct recorded_mapping mapping;

	return add_text(r, m->file, &mapping.file) ?: add_text(r, m->build_id, &mapping.build_id) ?:
	       recorded_mapping(r->read.recorded, &mapping, &r->mappings[id]);
}

static int add_function(struct profile_reader *r, __u32 id)
{
	const struct profile_function *f = profile_get_function(r->profile, id);
	struct recorded_function function = { .start_line = f->start_line };

	return add_text(r, f->name, &function.name) ?: add_text(r, f->file, &function.file) ?:
	       recorded_function(r->read.recorded, &function, &r->functions[id]);
}

static int add_location(struct profile_reader *r, __u32 id)
{
	const struct profile_location *l = profile_get_location(r->profile, id);
	const bool is_bare = pprof_places_is_bare(r->profile, l->mapping);
	struct recorded_place place = { .mapping = r->mappings[l->mapping] };

	if (l->offset)
		place.address = pprof_places_address(r->profile, l);
	if (!is_bare) {
		place.function = r->functions[l->function];
		place.line = l->line;
		place.column = l->column;
	}
	return read_place_add(&r->read, &place);
}

static int read_records(struct profile_reader *r, enum profile_kind kind,
			int (*read_one)(struct profile_reader *r, __u32 id))
{
	const __u32 n = profile_count(r->profile, kind);
	int err = 0;

	for (__u32 id = 1; id <= n && !err; id++)
		err = read_one(r, id);
	return err;
}

/* --- samples -------------------------------------------------------------------------------------------- */

static int add_place(struct profile_reader *r, __u32 location)
{
	const __u32 *places = (const __u32 *)r->read.lines.data;

	return buf_add(&r->read.places, &places[location - 1], sizeof(*places));
}

/* The functions that this one was put into, innermost first, as the lines of one place. */
static int add_around(struct profile_reader *r, const struct profile_location *l)
{
	int err = 0;

	if (!l->around || pprof_places_is_bare(r->profile, l->mapping))
		return 0;
	for (size_t n = 1; l->around && n < PPROF_LINES_MAX && !err; n++) {
		err = add_place(r, l->around);
		l = profile_get_location(r->profile, l->around);
	}
	return err;
}

static int add_places(struct profile_reader *r, const struct profile_stack *stack)
{
	int err = 0;

	for (__u32 i = 0, around = 0; i < stack->n && !err; i++) {
		const struct profile_location *l = profile_get_location(r->profile, stack->locations[i]);

		if (stack->locations[i] != around) /* else it is a line of the one before */
			err = add_place(r, stack->locations[i]) ?: add_around(r, l);
		around = l->around;
		if (r->read.places.size / sizeof(__u32) > RECORDED_STACK_MAX)
			err = err ?: -E2BIG;
	}
	return err;
}

static int add_owner_label(struct profile_reader *r, __u32 key, bool is_text, __u32 value)
{
	struct recorded_label label = { .key = key, .is_number = !is_text };
	int err = 0;

	if (!value)
		return 0;
	if (is_text)
		err = add_text(r, value, &label.text);
	else
		label.number = value;
	return err ?: read_label_add(&r->read, &r->read.labels, &label);
}

static int add_owner_labels(struct profile_reader *r, const struct profile_owner *o)
{
	const __u32 extra_count = profile_get_info(r->profile)->extra_count;
	int err = 0;

	for (int i = 0; i < LABEL_COUNT && !err; i++)
		err = add_owner_label(r, r->keys[i], label_rows[i].is_text, o->label[i]);
	for (__u32 i = 0; i < extra_count && !err; i++)
		err = add_owner_label(r, r->extra[i], true, o->extra[i]);
	return err;
}

struct moment_taker {
	struct recorded *recorded;
	__u32 type;
};

static int take_moment(void *context, __s64 value, __u64 unix_ns)
{
	const struct moment_taker *t = context;
	const struct recorded_moment m = { .begin = (__s64)unix_ns, .value = value,
					   .stack = t->recorded->last, .type = t->type };

	return m.begin > 0 ? recorded_add_moment(t->recorded, &m) : 0;
}

/* Of a sample of the trace that is wanted. */
static int add_moments(struct profile_reader *r, __u32 id)
{
	const struct profile_info *info = profile_get_info(r->profile);
	int err = 0;

	for (size_t i = 0; i < r->header.type_count && !err; i++) {
		const struct pprof_type *t = &r->header.types[i];
		struct moment_taker taker = { r->read.recorded, r->columns[i] };
		const struct otlp_times_taker to = { take_moment, &taker };

		if (r->columns[i] != NO_COLUMN)
			err = otlp_times_give(&r->times, id, t->kind,
					      !t->is_time ? 1 : info->timed ? 0 : info->period_ns, &to);
	}
	return err;
}

static bool is_wanted(const struct profile_reader *r, const struct profile_owner *o)
{
	const char *wanted = r->read.recorded->trace;

	return wanted && otlp_times_are_there(&r->times) &&
	       !strcmp(profile_get_string(r->profile, o->trace_id), wanted);
}

static int add_sample(struct profile_reader *r, __u32 id)
{
	const struct profile_stack stack = profile_get_sample(r->profile, id);
	const struct profile_owner *owner = profile_get_owner(r->profile, stack.owner);
	__s64 values[RECORDED_TYPES_MAX] = { 0 };
	int err;

	buf_clear(&r->read.places);
	buf_clear(&r->read.labels);
	for (size_t i = 0; i < r->header.type_count; i++)
		if (r->columns[i] != NO_COLUMN)
			values[r->columns[i]] = pprof_header_value(&r->header, i, &stack);
	err = add_places(r, &stack) ?: add_owner_labels(r, owner) ?: read_values(&r->read, values);
	return err ?: is_wanted(r, owner) ? add_moments(r, id) : 0;
}

/* --- all of it ------------------------------------------------------------------------------------------ */

static __u32 *new_ids(const struct profile *p, enum profile_kind kind)
{
	return calloc((size_t)profile_count(p, kind) + 1, sizeof(__u32));
}

static int open_reader(struct profile_reader *r)
{
	r->texts = new_ids(r->profile, PROFILE_STRING);
	r->mappings = new_ids(r->profile, PROFILE_MAPPING);
	r->functions = new_ids(r->profile, PROFILE_FUNCTION);
	if (!r->texts || !r->mappings || !r->functions)
		return -ENOMEM;
	pprof_strings_open(&r->words, r->profile);
	pprof_header_open(&r->header, r->profile, false, &r->words);
	return r->read.recorded->trace ? otlp_times_open(&r->times, r->profile) : 0;
}

static void close_reader(struct profile_reader *r)
{
	read_close(&r->read);
	otlp_times_close(&r->times);
	free(r->texts);
	free(r->mappings);
	free(r->functions);
}

int read_profile(struct recorded *recorded, const struct profile *p)
{
	struct profile_reader r = { .read.recorded = recorded, .profile = p };
	int err = open_reader(&r) ?: read_facts(&r) ?: read_keys(&r);

	err = err ?: read_records(&r, PROFILE_MAPPING, add_mapping) ?:
	      read_records(&r, PROFILE_FUNCTION, add_function) ?:
	      read_records(&r, PROFILE_LOCATION, add_location) ?:
	      read_records(&r, PROFILE_SAMPLE, add_sample);
	close_reader(&r);
	if (!err)
		recorded->files++;
	return err;
}
