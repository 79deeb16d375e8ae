// SPDX-License-Identifier: GPL-2.0-only
#include "recorded/unpacked.h"

#include <errno.h>
#include <limits.h>
#include <zlib.h>

#define GZIP_WBITS (MAX_WBITS + 16) /* zlib: +16 takes gzip's header and trailer */
#define STEP	   ((size_t)64 << 10)

static bool is_gzip(const unsigned char *data, size_t size)
{
	return size >= 2 && data[0] == 0x1f && data[1] == 0x8b;
}

/* Until the input is used up: gzip files may stand one behind the other. */
static int inflate_all(z_stream *z, struct buf *out)
{
	int status = Z_OK, err;

	while (z->avail_in || status != Z_STREAM_END) {
		if (out->size > UNPACKED_MAX)
			return -EFBIG;
		err = buf_reserve(out, STEP);
		if (err)
			return err;
		if (status == Z_STREAM_END && inflateReset(z) != Z_OK)
			return -EBADMSG;
		z->next_out = (Bytef *)out->data + out->size;
		z->avail_out = STEP;
		status = inflate(z, Z_NO_FLUSH);
		out->size += STEP - z->avail_out;
		if (status == Z_MEM_ERROR)
			return -ENOMEM;
		if (status != Z_OK && status != Z_STREAM_END)
			return -EBADMSG;
	}
	return 0;
}

int unpacked_add(const void *data, size_t size, struct buf *out)
{
	const size_t before = out->size;
	z_stream z = { .next_in = (Bytef *)data, .avail_in = size };
	int err;

	if (size > UNPACKED_MAX)
		return -EFBIG;
	if (!is_gzip(data, size))
		return buf_add(out, data, size);
	if (inflateInit2(&z, GZIP_WBITS) != Z_OK)
		return -ENOMEM;
	err = inflate_all(&z, out);
	inflateEnd(&z);
	if (err)
		out->size = before;
	return err;
}
