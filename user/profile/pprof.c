// SPDX-License-Identifier: GPL-2.0-only
/*
 * pprof.c - see pprof.h. Here are the samples and their labels; pprof_header.h has what they measure,
 * pprof_places.h what they refer to, pprof_strings.h the texts of all of it.
 */
#include "profile/pprof.h"

#include <stddef.h>
#include <stdint.h>

#include "profile/pprof_header.h"
#include "profile/pprof_places.h"
#include "profile/pprof_stream.h"
#include "profile/pprof_strings.h"

#define LABELS_MAX (LABEL_COUNT + PROFILE_EXTRA_MAX)

struct encoder {
	const struct profile *profile;
	struct pprof_stream stream;
	struct pprof_strings strings;
	struct pprof_header header;
	struct buf locations; /* uint64_t[] of the sample at hand */
};

static size_t extra_labels(const struct encoder *e, const struct profile_owner *o,
			   Pyperf__Label labels[PROFILE_EXTRA_MAX])
{
	__u32 count = profile_get_info(e->profile)->extra_count;
	size_t n = 0;

	for (__u32 i = 0; i < count; i++) {
		if (!o->extra[i])
			continue;
		pyperf__label__init(&labels[n]);
		labels[n].key = pprof_strings_extra(&e->strings, i);
		labels[n].str = pprof_strings_text(&e->strings, o->extra[i]);
		n++;
	}
	return n;
}

/* Labels of an owner, without those it does not have. Returns their number. */
static size_t owner_labels(const struct encoder *e, const struct profile_owner *o,
			   Pyperf__Label labels[LABELS_MAX])
{
	size_t n = 0;

	for (int i = 0; i < LABEL_COUNT; i++) {
		if (!o->label[i])
			continue;
		pyperf__label__init(&labels[n]);
		labels[n].key = pprof_strings_label(&e->strings, i);
		if (label_rows[i].is_text)
			labels[n].str = pprof_strings_text(&e->strings, o->label[i]);
		else
			labels[n].num = o->label[i];
		n++;
	}
	return n + extra_labels(e, o, labels + n);
}

/* The locations of a stack go into e->locations. Returns 0 or -ENOMEM. */
static int find_locations(struct encoder *e, const struct profile_stack *stack, size_t *ret_count)
{
	uint64_t *locations;
	size_t n = 0;
	int err;

	buf_clear(&e->locations);
	err = buf_reserve(&e->locations, stack->n * sizeof(*locations));
	if (err)
		return err;
	locations = (uint64_t *)e->locations.data;
	for (__u32 i = 0, around = 0; i < stack->n; i++) {
		if (stack->locations[i] != around) /* it is a line of the one before */
			locations[n++] = stack->locations[i];
		around = profile_get_location(e->profile, stack->locations[i])->around;
	}
	*ret_count = n;
	return 0;
}

static int write_sample(struct encoder *e, __u32 id)
{
	struct profile_stack stack = profile_get_sample(e->profile, id);
	int64_t values[PPROF_TYPES_MAX];
	Pyperf__Label labels[LABELS_MAX], *label_list[LABELS_MAX];
	Pyperf__Sample sample = PYPERF__SAMPLE__INIT, *list = &sample;
	Pyperf__Profile part = PYPERF__PROFILE__INIT;
	int err = find_locations(e, &stack, &sample.n_location_id);

	if (err)
		return err;
	sample.location_id = (uint64_t *)e->locations.data;
	for (size_t i = 0; i < e->header.type_count; i++)
		values[i] = pprof_header_value(&e->header, i, &stack);
	sample.n_value = e->header.type_count;
	sample.value = values;
	sample.n_label = owner_labels(e, profile_get_owner(e->profile, stack.owner), labels);
	for (size_t i = 0; i < sample.n_label; i++)
		label_list[i] = &labels[i];
	sample.label = label_list;
	part.n_sample = 1;
	part.sample = &list;
	return pprof_stream_add(&e->stream, &part);
}

static int write_samples(struct encoder *e)
{
	__u32 n = profile_count(e->profile, PROFILE_SAMPLE);
	int err = 0;

	for (__u32 id = 1; id <= n && !err; id++)
		err = write_sample(e, id);
	return err;
}

static int write_profile(struct encoder *e)
{
	int err = pprof_header_write(&e->header, &e->stream);

	if (!err)
		err = write_samples(e);
	if (!err)
		err = pprof_places_write(e->profile, &e->strings, &e->stream);
	if (!err)
		err = pprof_strings_write(&e->strings, &e->stream);
	return err ?: pprof_stream_finish(&e->stream);
}

int pprof_encode(const struct profile *p, struct buf *out)
{
	struct encoder e = { .profile = p };
	size_t start = out->size;
	int err = pprof_stream_open(&e.stream, out);

	if (err)
		return err;
	pprof_strings_open(&e.strings, p);
	pprof_header_open(&e.header, p, &e.strings);
	err = write_profile(&e);
	pprof_stream_close(&e.stream);
	buf_free(&e.locations);
	if (err)
		out->size = start;
	return err;
}
