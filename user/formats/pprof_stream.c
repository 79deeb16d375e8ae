// SPDX-License-Identifier: GPL-2.0-only
#include "formats/pprof_stream.h"

#include "base/protobuf.h"

int pprof_stream_open(struct pprof_stream *s, struct buf *out)
{
	*s = (struct pprof_stream){};
	return gzip_stream_open(&s->gzip, out);
}

int pprof_stream_put_fields(struct pprof_stream *s)
{
	int err = gzip_stream_add(&s->gzip, s->record.data ?: "", s->record.size);

	buf_clear(&s->record);
	return err;
}

int pprof_stream_put(struct pprof_stream *s, enum pprof_field field)
{
	buf_clear(&s->head);
	return protobuf_add_head(&s->head, field, s->record.size) ?:
	       gzip_stream_add(&s->gzip, s->head.data, s->head.size) ?: pprof_stream_put_fields(s);
}

int pprof_stream_put_part(struct pprof_stream *s, unsigned int field)
{
	int err = protobuf_add_bytes(&s->record, field, s->part.data ?: "", s->part.size);

	buf_clear(&s->part);
	return err;
}

int pprof_stream_put_numbers(struct pprof_stream *s, unsigned int field)
{
	return s->part.size ? pprof_stream_put_part(s, field) : 0;
}

int pprof_stream_put_text(struct pprof_stream *s, const char *text)
{
	return buf_add_string(&s->record, text) ?: pprof_stream_put(s, PPROF_STRING);
}

int pprof_stream_put_type(struct pprof_stream *s, enum pprof_field field, __u64 type, __u64 unit)
{
	return protobuf_add_number(&s->record, PPROF_TYPE_TYPE, type) ?:
	       protobuf_add_number(&s->record, PPROF_TYPE_UNIT, unit) ?: pprof_stream_put(s, field);
}

/*
 * system_name stays empty. When it equals the name, `go tool pprof` takes "<module>" or "<lambda>" for C++
 * template arguments and strips it to nothing (internal/symbolizer, demangleSingleFunction).
 */
int pprof_stream_put_function(struct pprof_stream *s, __u64 id, __u64 name, __u64 file, __s64 line)
{
	return protobuf_add_number(&s->record, PPROF_FUNCTION_ID, id) ?:
	       protobuf_add_number(&s->record, PPROF_FUNCTION_NAME, name) ?:
	       protobuf_add_number(&s->record, PPROF_FUNCTION_FILE, file) ?:
	       protobuf_add_number(&s->record, PPROF_FUNCTION_LINE, line) ?:
	       pprof_stream_put(s, PPROF_FUNCTION);
}

int pprof_stream_add_location(struct pprof_stream *s, __u64 id, __u64 mapping, __u64 address)
{
	return protobuf_add_number(&s->record, PPROF_LOCATION_ID, id) ?:
	       protobuf_add_number(&s->record, PPROF_LOCATION_MAPPING, mapping) ?:
	       protobuf_add_number(&s->record, PPROF_LOCATION_ADDRESS, address);
}

int pprof_stream_add_line(struct pprof_stream *s, __u64 function, __s64 line, __s64 column)
{
	return protobuf_add_number(&s->part, PPROF_LINE_FUNCTION, function) ?:
	       protobuf_add_number(&s->part, PPROF_LINE_LINE, line) ?:
	       protobuf_add_number(&s->part, PPROF_LINE_COLUMN, column) ?:
	       pprof_stream_put_part(s, PPROF_LOCATION_LINE);
}

int pprof_stream_add_label(struct pprof_stream *s, __u64 key, __u64 text, __s64 number, __u64 unit)
{
	return protobuf_add_number(&s->part, PPROF_LABEL_KEY, key) ?:
	       protobuf_add_number(&s->part, PPROF_LABEL_TEXT, text) ?:
	       protobuf_add_number(&s->part, PPROF_LABEL_UNIT, unit) ?:
	       protobuf_add_number(&s->part, PPROF_LABEL_NUMBER, number) ?:
	       pprof_stream_put_part(s, PPROF_SAMPLE_LABEL);
}

int pprof_stream_finish(struct pprof_stream *s)
{
	return gzip_stream_finish(&s->gzip);
}

void pprof_stream_close(struct pprof_stream *s)
{
	gzip_stream_close(&s->gzip);
	buf_free(&s->record);
	buf_free(&s->part);
	buf_free(&s->head);
}
