// SPDX-License-Identifier: GPL-2.0-only
#include "formats/gzip_stream.h"

#include <errno.h>
#include <limits.h>

#define GZIP_WBITS  (MAX_WBITS + 16) /* zlib: +16 asks for gzip's header and trailer */
#define GZIP_MEMORY 8		     /* zlib's default: 256 KiB in all with the window */
#define STEP	    4096	     /* bytes of room offered to the compressor at a time */

int gzip_stream_open(struct gzip_stream *s, struct buf *out)
{
	*s = (struct gzip_stream){ .out = out };
	/* It can fail by lack of memory only: the other arguments are constants. */
	if (deflateInit2(&s->compressor, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WBITS, GZIP_MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	return 0;
}

static int compress_more(struct gzip_stream *s, int flush)
{
	int err, status;

	do {
		err = buf_reserve(s->out, STEP);
		if (err)
			return err;
		s->compressor.next_out = (Bytef *)s->out->data + s->out->size;
		s->compressor.avail_out = STEP;
		status = deflate(&s->compressor, flush);
		if (status == Z_STREAM_ERROR)
			return -EINVAL;
		s->out->size += STEP - s->compressor.avail_out;
	} while (!s->compressor.avail_out);
	return 0;
}

int gzip_stream_add(struct gzip_stream *s, const void *data, size_t size)
{
	if (size > UINT_MAX)
		return -EINVAL;
	s->compressor.next_in = (Bytef *)data;
	s->compressor.avail_in = size;
	return compress_more(s, Z_NO_FLUSH);
}

int gzip_stream_finish(struct gzip_stream *s)
{
	s->compressor.avail_in = 0;
	return compress_more(s, Z_FINISH);
}

void gzip_stream_close(struct gzip_stream *s)
{
	deflateEnd(&s->compressor);
}
