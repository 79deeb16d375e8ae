/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pprof_stream.h - pprof's message record by record. Two encoded protobuf messages, one behind the other, are
 * their merger: so each record goes straight to the compressor, and the whole profile never exists as a
 * message.
 */
#ifndef PYPERF_FORMATS_PPROF_STREAM_H
#define PYPERF_FORMATS_PPROF_STREAM_H

#include <linux/types.h>

#include "base/buf.h"
#include "formats/gzip_stream.h"
#include "formats/pprof_wire.h"

struct pprof_stream {
	struct gzip_stream gzip;
	struct buf record; /* the one at hand, to which base/protobuf.h appends */
	struct buf part;   /* a message of that, or packed numbers */
	struct buf head;   /* of the record's field */
};

/* What is written goes to the end of out. It needs about 300 KiB of memory. 0 or -ENOMEM. */
int pprof_stream_open(struct pprof_stream *s, struct buf *out);
/*
 * The record becomes this field of the profile, and is empty again. 0; -ENOMEM; -EINVAL for one of 4 GiB or
 * more. After a failure close it.
 */
int pprof_stream_put(struct pprof_stream *s, enum pprof_field field);
/* The part becomes this field of the record, and is empty again. 0 or -ENOMEM. */
int pprof_stream_put_part(struct pprof_stream *s, unsigned int field);
/* The same of packed numbers, of which there is no field where there are none. */
int pprof_stream_put_numbers(struct pprof_stream *s, unsigned int field);
/* What the record holds are fields of the profile itself. */
int pprof_stream_put_fields(struct pprof_stream *s);
/*
 * Records that every profile has, whoever writes it. Texts are indices of the table of strings. What is 0 is
 * not written. 0 or -errno of pprof_stream_put().
 */
int pprof_stream_put_text(struct pprof_stream *s, const char *text);
int pprof_stream_put_type(struct pprof_stream *s, enum pprof_field field, __u64 type, __u64 unit);
int pprof_stream_put_function(struct pprof_stream *s, __u64 id, __u64 name, __u64 file, __s64 line);
/* Each of these adds to the record at hand: to that of a location, of its lines, of a sample. */
int pprof_stream_add_location(struct pprof_stream *s, __u64 id, __u64 mapping, __u64 address);
int pprof_stream_add_line(struct pprof_stream *s, __u64 function, __s64 line, __s64 column);
/* A text; or with text 0 a number, which may have a unit. */
int pprof_stream_add_label(struct pprof_stream *s, __u64 key, __u64 text, __s64 number, __u64 unit);
/* There are no more records. 0 or -ENOMEM. */
int pprof_stream_finish(struct pprof_stream *s);
void pprof_stream_close(struct pprof_stream *s);

#endif
