// SPDX-License-Identifier: GPL-2.0-only
/*
 * pprof.c - see pprof.h. Here are the samples and their labels; pprof_header.h has what they measure,
 * pprof_places.h what they refer to, pprof_strings.h the texts of all of it.
 */
#include "formats/pprof.h"

#include <stddef.h>
#include <stdint.h>

#include "base/protobuf.h"
#include "formats/pprof_carried.h"
#include "formats/pprof_header.h"
#include "formats/pprof_places.h"
#include "formats/pprof_stream.h"
#include "formats/pprof_strings.h"

struct encoder {
	const struct profile *profile;
	struct pprof_stream stream;
	struct pprof_strings strings;
	struct pprof_header header;
};

/* Labels of an owner, without those it does not have. */
static int add_labels(struct encoder *e, const struct profile_owner *o)
{
	const __u32 extra_count = profile_get_info(e->profile)->extra_count;
	const struct pprof_strings *s = &e->strings;
	struct pprof_stream *to = &e->stream;
	int err = 0;

	for (int i = 0; i < LABEL_COUNT && !err; i++) {
		const bool is_text = label_rows[i].is_text;

		if (o->label[i])
			err = pprof_stream_add_label(to, pprof_strings_label(s, i),
						     is_text ? pprof_strings_text(s, o->label[i]) : 0,
						     is_text ? 0 : o->label[i], 0);
	}
	for (__u32 i = 0; i < extra_count && !err; i++)
		if (o->extra[i])
			err = pprof_stream_add_label(to, pprof_strings_extra(s, i),
						     pprof_strings_text(s, o->extra[i]), 0, 0);
	return err;
}

static int add_locations(struct encoder *e, const struct profile_stack *stack)
{
	int err = 0;

	for (__u32 i = 0, around = 0; i < stack->n && !err; i++) {
		if (stack->locations[i] != around) /* else it is a line of the one before */
			err = protobuf_add_varint(&e->stream.part, stack->locations[i]);
		around = profile_get_location(e->profile, stack->locations[i])->around;
	}
	return err ?: pprof_stream_put_numbers(&e->stream, PPROF_SAMPLE_LOCATIONS);
}

static int add_pprof_values(struct encoder *e, const struct profile_stack *stack)
{
	int err = 0;

	for (size_t i = 0; i < e->header.type_count && !err; i++)
		err = protobuf_add_varint(&e->stream.part, pprof_header_value(&e->header, i, stack));
	return err ?: pprof_stream_put_numbers(&e->stream, PPROF_SAMPLE_VALUES);
}

static int write_profile_sample(struct encoder *e, __u32 id)
{
	const struct profile_stack stack = profile_get_sample(e->profile, id);

	return add_locations(e, &stack) ?: add_pprof_values(e, &stack) ?:
	       add_labels(e, profile_get_owner(e->profile, stack.owner)) ?:
	       pprof_stream_put(&e->stream, PPROF_SAMPLE);
}

static int write_samples(struct encoder *e)
{
	__u32 n = profile_count(e->profile, PROFILE_SAMPLE);
	int err = 0;

	for (__u32 id = 1; id <= n && !err; id++)
		err = write_profile_sample(e, id);
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
		err = pprof_carried_write(&e->header, &e->stream);
	if (!err)
		err = pprof_strings_write(&e->strings, &e->stream);
	return err ?: pprof_stream_finish(&e->stream);
}

static int encode_pprof(const struct profile *p, bool carries, struct buf *out)
{
	struct encoder e = { .profile = p };
	size_t start = out->size;
	int err = pprof_stream_open(&e.stream, out);

	if (err)
		return err;
	pprof_strings_open(&e.strings, p);
	pprof_header_open(&e.header, p, carries, &e.strings);
	err = write_profile(&e);
	pprof_stream_close(&e.stream);
	if (err)
		out->size = start;
	return err;
}

int pprof_encode(const struct profile *p, struct buf *out)
{
	return encode_pprof(p, false, out);
}

int pprof_encode_carrying(const struct profile *p, struct buf *out)
{
	return encode_pprof(p, true, out);
}
