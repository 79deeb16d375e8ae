/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gzip_stream.h - bytes that are compressed while they are made, behind what is in a buffer.
 */
#ifndef PYPERF_FORMATS_GZIP_STREAM_H
#define PYPERF_FORMATS_GZIP_STREAM_H

#include <zlib.h>

#include "base/buf.h"

struct gzip_stream {
	z_stream compressor;
	struct buf *out; /* borrowed */
};

/* What is written goes to the end of out. It needs about 300 KiB of memory. 0 or -ENOMEM. */
int gzip_stream_open(struct gzip_stream *s, struct buf *out);
/* 0; -ENOMEM; -EINVAL for 4 GiB or more at once. After a failure close it. */
int gzip_stream_add(struct gzip_stream *s, const void *data, size_t size);
/* There is no more. 0 or -ENOMEM. */
int gzip_stream_finish(struct gzip_stream *s);
void gzip_stream_close(struct gzip_stream *s);

#endif
