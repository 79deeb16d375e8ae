/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pprof_stream.h - pprof's message record by record. Two encoded protobuf messages, one behind the other, are
 * their merger: so each record goes straight to the compressor, and the whole profile never exists as a
 * message.
 */
#ifndef PYPERF_PROFILE_PPROF_STREAM_H
#define PYPERF_PROFILE_PPROF_STREAM_H

#include "base/buf.h"
#include "profile/gzip_stream.h"
#include "profile/pprof_wire.h"

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
/* There are no more records. 0 or -ENOMEM. */
int pprof_stream_finish(struct pprof_stream *s);
void pprof_stream_close(struct pprof_stream *s);

#endif
