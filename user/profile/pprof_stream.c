// SPDX-License-Identifier: GPL-2.0-only
#include "profile/pprof_stream.h"

#include <stddef.h>
#include <stdint.h>

int pprof_stream_open(struct pprof_stream *s, struct buf *out)
{
	s->packed = (struct buf){};
	return gzip_stream_open(&s->gzip, out);
}

int pprof_stream_add(struct pprof_stream *s, const Pyperf__Profile *part)
{
	int err = buf_reserve(&s->packed, pyperf__profile__get_packed_size(part));

	if (err)
		return err;
	return gzip_stream_add(&s->gzip, s->packed.data,
			       pyperf__profile__pack(part, (uint8_t *)s->packed.data));
}

int pprof_stream_finish(struct pprof_stream *s)
{
	return gzip_stream_finish(&s->gzip);
}

void pprof_stream_close(struct pprof_stream *s)
{
	gzip_stream_close(&s->gzip);
	buf_free(&s->packed);
}
