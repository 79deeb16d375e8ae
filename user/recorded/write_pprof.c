// SPDX-License-Identifier: GPL-2.0-only
/*
 * write_pprof.c - record by record: two messages, one behind the other, are their merger. The ids of recorded
 * are those of the file, and the string of id 0 is "".
 */
#include "recorded/write_pprof.h"

#include <stdint.h>

#include "base/protobuf.h"
#include "formats/pprof_stream.h"
#include "recorded/recorded.h"

struct recorded_writer {
	const struct recorded *recorded;
	struct pprof_stream stream;
};

static int put_strings(struct recorded_writer *w)
{
	int err = pprof_stream_put_text(&w->stream, "");

	for (__u32 id = 1; id <= w->recorded->strings.count && !err; id++)
		err = pprof_stream_put_text(&w->stream, recorded_get_string(w->recorded, id));
	return err;
}

static int put_functions(struct recorded_writer *w)
{
	int err = 0;

	for (__u32 id = 1; id <= w->recorded->functions.count && !err; id++) {
		const struct recorded_function *f = recorded_get_function(w->recorded, id);

		err = pprof_stream_put_function(&w->stream, id, f->name, f->file, f->start_line);
	}
	return err;
}

static int put_mappings(struct recorded_writer *w)
{
	struct buf *b = &w->stream.record;
	int err = 0;

	for (__u32 id = 1; id <= w->recorded->mappings.count && !err; id++) {
		const struct recorded_mapping *m = recorded_get_mapping(w->recorded, id);

		err = protobuf_add_number(b, PPROF_MAPPING_ID, id) ?:
		      protobuf_add_number(b, PPROF_MAPPING_FILE, m->file) ?:
		      protobuf_add_number(b, PPROF_MAPPING_BUILD_ID, m->build_id) ?:
		      protobuf_add_number(b, PPROF_MAPPING_HAS_FUNCTIONS, true) ?:
		      pprof_stream_put(&w->stream, PPROF_MAPPING);
	}
	return err;
}

static int put_places(struct recorded_writer *w)
{
	int err = 0;

	for (__u32 id = 1; id <= w->recorded->places.count && !err; id++) {
		const struct recorded_place *p = recorded_get_place(w->recorded, id);

		err = pprof_stream_add_location(&w->stream, id, p->mapping, p->address) ?:
		      pprof_stream_add_line(&w->stream, p->function, p->line, p->column) ?:
		      pprof_stream_put(&w->stream, PPROF_LOCATION);
	}
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

		err = pprof_stream_add_label(&w->stream, l->key, l->is_number ? 0 : l->text,
					     l->is_number ? l->number : 0, l->is_number ? l->text : 0);
	}
	return err;
}

static int put_stack(struct recorded_writer *w, __u32 id, double scale)
{
	const struct recorded_stack s = recorded_get_stack(w->recorded, id);
	const double by = recorded_find_label(&s, w->recorded->base_label) ? -scale : 1;
	int err = 0;

	for (size_t i = 0; i < s.n && !err; i++)
		err = protobuf_add_varint(&w->stream.part, s.places[i]);
	err = err ?: pprof_stream_put_part(&w->stream, PPROF_SAMPLE_LOCATIONS);
	for (size_t i = 0; i < w->recorded->type_count && !err; i++)
		err = protobuf_add_varint(&w->stream.part, scaled(s.values[i], by));
	err = err ?: pprof_stream_put_part(&w->stream, PPROF_SAMPLE_VALUES);
	return err ?: add_labels(w, &s) ?: pprof_stream_put(&w->stream, PPROF_SAMPLE);
}

static int put_header(struct recorded_writer *w)
{
	const struct recorded *r = w->recorded;
	struct buf *b = &w->stream.record;
	int err = 0;

	for (size_t i = 0; i < r->type_count && !err; i++)
		err = pprof_stream_put_type(&w->stream, PPROF_SAMPLE_TYPE, r->types[i].type,
					    r->types[i].unit);
	if (!err && r->period)
		err = pprof_stream_put_type(&w->stream, PPROF_PERIOD_TYPE, r->period_type.type,
					    r->period_type.unit);
	err = err ?: protobuf_add_number(b, PPROF_TIME, r->start_ns) ?:
	      protobuf_add_number(b, PPROF_DURATION, r->duration_ns) ?:
	      protobuf_add_number(b, PPROF_PERIOD, r->period) ?:
	      protobuf_add_number(b, PPROF_DEFAULT_TYPE, r->default_type);
	for (size_t i = 0; i < r->comment_count && !err; i++)
		err = protobuf_add_number(b, PPROF_COMMENT, r->comments[i]);
	return err ?: pprof_stream_put_fields(&w->stream);
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
	int err = pprof_stream_open(&w.stream, out);

	if (err)
		return err;
	err = put_all(&w, scale, takes) ?: pprof_stream_finish(&w.stream);
	pprof_stream_close(&w.stream);
	return err;
}
