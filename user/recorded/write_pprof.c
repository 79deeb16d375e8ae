// SPDX-License-Identifier: GPL-2.0-only
/*
 * write_pprof.c - record by record: two messages, one behind the other, are their merger. The ids of recorded
 * are those of the file, and the string of id 0 is "".
 */
#include "recorded/write_pprof.h"

#include <stdint.h>

#include "base/protobuf.h"
#include "profile/gzip_stream.h"
#include "recorded/recorded.h"

/* Fields of a Profile (user/profile/profile.proto). */
enum { SAMPLE_TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING, TIME = 9, DURATION, PERIOD_TYPE, PERIOD,
       COMMENT, DEFAULT_TYPE };

struct recorded_writer {
	const struct recorded *recorded;
	struct gzip_stream gzip;
	struct buf record, part, field;
};

/* What is in `record`, as this field of the profile. */
static int put(struct recorded_writer *w, unsigned int number)
{
	int err;

	buf_clear(&w->field);
	err = protobuf_add_bytes(&w->field, number, w->record.data ?: "", w->record.size) ?:
	      gzip_stream_add(&w->gzip, w->field.data, w->field.size);
	buf_clear(&w->record);
	return err;
}

static int put_type(struct recorded_writer *w, unsigned int number, const struct recorded_type *t)
{
	return protobuf_add_number(&w->record, 1, t->type) ?: protobuf_add_number(&w->record, 2, t->unit) ?:
	       put(w, number);
}

static int put_strings(struct recorded_writer *w)
{
	int err = put(w, STRING);

	for (__u32 id = 1; id <= w->recorded->strings.count && !err; id++)
		err = buf_add_string(&w->record, recorded_get_string(w->recorded, id)) ?: put(w, STRING);
	return err;
}

static int put_functions(struct recorded_writer *w)
{
	int err = 0;

	for (__u32 id = 1; id <= w->recorded->functions.count && !err; id++) {
		const struct recorded_function *f = recorded_get_function(w->recorded, id);

		err = protobuf_add_number(&w->record, 1, id) ?: protobuf_add_number(&w->record, 2, f->name) ?:
		      protobuf_add_number(&w->record, 4, f->file) ?:
		      protobuf_add_number(&w->record, 5, f->start_line) ?: put(w, FUNCTION);
	}
	return err;
}

static int put_mappings(struct recorded_writer *w)
{
	int err = 0;

	for (__u32 id = 1; id <= w->recorded->mappings.count && !err; id++) {
		const struct recorded_mapping *m = recorded_get_mapping(w->recorded, id);

		err = protobuf_add_number(&w->record, 1, id) ?: protobuf_add_number(&w->record, 5, m->file) ?:
		      protobuf_add_number(&w->record, 6, m->build_id) ?:
		      protobuf_add_number(&w->record, 7, true) ?: put(w, MAPPING); /* it has functions */
	}
	return err;
}

static int put_place(struct recorded_writer *w, __u32 id)
{
	const struct recorded_place *p = recorded_get_place(w->recorded, id);
	int err;

	buf_clear(&w->part);
	err = protobuf_add_number(&w->part, 1, p->function) ?: protobuf_add_number(&w->part, 2, p->line) ?:
	      protobuf_add_number(&w->part, 3, p->column);
	err = err ?: protobuf_add_number(&w->record, 1, id) ?:
	      protobuf_add_number(&w->record, 2, p->mapping) ?:
	      protobuf_add_number(&w->record, 3, p->address) ?:
	      protobuf_add_bytes(&w->record, 4, w->part.data ?: "", w->part.size);
	return err ?: put(w, LOCATION);
}

static int put_places(struct recorded_writer *w)
{
	int err = 0;

	for (__u32 id = 1; id <= w->recorded->places.count && !err; id++)
		err = put_place(w, id);
	return err;
}

static __s64 scaled(__s64 value, double by)
{
	const double x = (double)value * by;

	if (by == 1 || by == -1)
		return by == 1 ? value : value == INT64_MIN ? INT64_MAX : -value;
	return x >= 9.2e18 ? INT64_MAX : x <= -9.2e18 ? INT64_MIN : (__s64)(x < 0 ? x - 0.5 : x + 0.5);
}

static int add_labels(struct recorded_writer *w, const struct recorded_stack *s)
{
	int err = 0;

	for (size_t i = 0; i < s->label_count && !err; i++) {
		const struct recorded_label *l = &s->labels[i];

		buf_clear(&w->part);
		err = protobuf_add_number(&w->part, 1, l->key) ?:
		      protobuf_add_number(&w->part, l->is_number ? 4 : 2, l->text);
		if (!err && l->is_number)
			err = protobuf_add_number(&w->part, 3, l->number);
		err = err ?: protobuf_add_bytes(&w->record, 3, w->part.data ?: "", w->part.size);
	}
	return err;
}

static int put_stack(struct recorded_writer *w, __u32 id, double scale)
{
	const struct recorded_stack s = recorded_get_stack(w->recorded, id);
	const double by = recorded_find_label(&s, w->recorded->base_label) ? -scale : 1;
	int err = 0;

	buf_clear(&w->part);
	for (size_t i = 0; i < s.n && !err; i++)
		err = protobuf_add_varint(&w->part, s.places[i]);
	err = err ?: protobuf_add_bytes(&w->record, 1, w->part.data ?: "", w->part.size);
	buf_clear(&w->part);
	for (size_t i = 0; i < w->recorded->type_count && !err; i++)
		err = protobuf_add_varint(&w->part, scaled(s.values[i], by));
	err = err ?: protobuf_add_bytes(&w->record, 2, w->part.data ?: "", w->part.size);
	return err ?: add_labels(w, &s) ?: put(w, SAMPLE);
}

static int put_header(struct recorded_writer *w)
{
	const struct recorded *r = w->recorded;
	int err = 0;

	for (size_t i = 0; i < r->type_count && !err; i++)
		err = put_type(w, SAMPLE_TYPE, &r->types[i]);
	if (!err && r->period)
		err = put_type(w, PERIOD_TYPE, &r->period_type);
	buf_clear(&w->field);
	err = err ?: protobuf_add_number(&w->field, TIME, r->start_ns) ?:
	      protobuf_add_number(&w->field, DURATION, r->duration_ns) ?:
	      protobuf_add_number(&w->field, PERIOD, r->period) ?:
	      protobuf_add_number(&w->field, DEFAULT_TYPE, r->default_type);
	for (size_t i = 0; i < r->comment_count && !err; i++)
		err = protobuf_add_number(&w->field, COMMENT, r->comments[i]);
	return err ?: gzip_stream_add(&w->gzip, w->field.data ?: "", w->field.size);
}

static int put_all(struct recorded_writer *w, double scale, const bool *takes)
{
	int err = put_strings(w) ?: put_header(w) ?: put_mappings(w) ?: put_functions(w) ?: put_places(w);

	for (__u32 id = 1; id <= recorded_stacks(w->recorded) && !err; id++)
		if (!takes || takes[id - 1])
			err = put_stack(w, id, scale);
	return err;
}

int write_pprof(const struct recorded *r, double scale, const bool *takes, struct buf *out)
{
	struct recorded_writer w = { .recorded = r };
	int err = gzip_stream_open(&w.gzip, out);

	if (err)
		return err;
	err = put_all(&w, scale, takes) ?: gzip_stream_finish(&w.gzip);
	gzip_stream_close(&w.gzip);
	buf_free(&w.record);
	buf_free(&w.part);
	buf_free(&w.field);
	return err;
}
