/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * decode.h - a profile encoded as pprof and read back by protobuf-c.
 */
#ifndef PYPERF_TESTS_FORGE_DECODE_H
#define PYPERF_TESTS_FORGE_DECODE_H

#include <zlib.h>

#include "base/buf.h"
#include "formats/pprof.h"
#include "profile.pb-c.h"
#include "tests/forge/test.h"

static inline void decompress(const struct buf *in, struct buf *plain)
{
	z_stream z = { .next_in = (Bytef *)in->data, .avail_in = in->size };
	int status;

	assert_int_equal(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
	do {
		assert_int_equal(buf_reserve(plain, 4096), 0);
		z.next_out = (Bytef *)plain->data + plain->size;
		z.avail_out = 4096;
		status = inflate(&z, Z_NO_FLUSH);
		plain->size += 4096 - z.avail_out;
	} while (status == Z_OK);
	assert_int_equal(status, Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	inflateEnd(&z);
}

/* To be released by pyperf__profile__free_unpacked(). */
static inline Pyperf__Profile *decode(const struct buf *in)
{
	_cleanup_buf_ struct buf plain = { 0 };
	Pyperf__Profile *decoded;

	decompress(in, &plain);
	decoded = pyperf__profile__unpack(NULL, plain.size, (const uint8_t *)plain.data);
	assert_non_null(decoded);
	return decoded;
}

static inline Pyperf__Profile *encode_and_decode(const struct profile *p)
{
	_cleanup_buf_ struct buf out = { 0 };

	assert_int_equal(pprof_encode(p, &out), 0);
	return decode(&out);
}

static inline const char *string(const Pyperf__Profile *d, int64_t index)
{
	assert_in_range(index, 0, d->n_string_table - 1);
	return d->string_table[index];
}

#endif
