// SPDX-License-Identifier: GPL-2.0-only
#include "profile/pprof_stream.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#define GZIP_WBITS  (MAX_WBITS + 16) /* zlib: +16 asks for gzip's header and trailer */
#define GZIP_MEMORY 8		     /* zlib's default: 256 KiB in all with the window */
#define STEP	    4096	     /* bytes of room offered to the compressor at a time */

int pprof_stream_open(struct pprof_stream *s, struct buf *out)
{
	*s = (struct pprof_stream){ .out = out };
	/* It can fail by lack of memory only: the other arguments are constants. */
	if (deflateInit2(&s->compressor, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WBITS, GZIP_MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	return 0;
}

static int compress_more(struct pprof_stream *s, int flush)
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

int pprof_stream_add(struct pprof_stream *s, const Pyperf__Profile *part)
{
	size_t size = pyperf__profile__get_packed_size(part);
	int err;

	if (size > UINT_MAX)
		return -EINVAL;
	err = buf_reserve(&s->packed, size);
	if (err)
		return err;
	s->compressor.next_in = (Bytef *)s->packed.data;
	s->compressor.avail_in = pyperf__profile__pack(part, (uint8_t *)s->packed.data);
	return compress_more(s, Z_NO_FLUSH);
}

int pprof_stream_finish(struct pprof_stream *s)
{
	s->compressor.avail_in = 0;
	return compress_more(s, Z_FINISH);
}

void pprof_stream_close(struct pprof_stream *s)
{
	deflateEnd(&s->compressor);
	buf_free(&s->packed);
}
