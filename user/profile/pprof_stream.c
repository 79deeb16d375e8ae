// SPDX-License-Identifier: GPL-2.0-only
#include "profile/pprof_stream.h"

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
