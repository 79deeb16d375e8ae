/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pprof_stream.h - pprof's message record by record. Two encoded protobuf messages, one behind the other, are
 * their merger: so each record is packed as a Profile that holds nothing else and goes straight to the
 * compressor. The whole profile never exists as protobuf-c structures, which would be several times its size.
 */
#ifndef PYPERF_PROFILE_PPROF_STREAM_H
#define PYPERF_PROFILE_PPROF_STREAM_H

#include "base/buf.h"
#include "profile.pb-c.h"
#include "profile/gzip_stream.h"

struct pprof_stream {
	struct gzip_stream gzip;
	struct buf packed; /* the record at hand */
};

/* What is written goes to the end of out. It needs about 300 KiB of memory. 0 or -ENOMEM. */
int pprof_stream_open(struct pprof_stream *s, struct buf *out);
/* Adds a record. 0; -ENOMEM; -EINVAL for one of 4 GiB or more. After a failure close it. */
int pprof_stream_add(struct pprof_stream *s, const Pyperf__Profile *part);
/* There are no more records. 0 or -ENOMEM. */
int pprof_stream_finish(struct pprof_stream *s);
void pprof_stream_close(struct pprof_stream *s);

#endif
