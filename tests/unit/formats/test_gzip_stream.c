// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_gzip_stream.c - what is added piece by piece comes back as a whole, behind what was there; and memory
 * that runs short is an error.
 */
#include "tests/forge/fail_malloc.h"

#include <errno.h>
#include <string.h>

#include "formats/gzip_stream.h"
#include "tests/forge/decode.h"
#include "tests/forge/test.h"

static char text[100000]; /* which the compressor cannot shorten by much */

static int setup(void **state)
{
	(void)state;
	for (size_t i = 0, x = 1; i < sizeof(text); i++) {
		x = x * 6364136223846793005 + 1442695040888963407;
		text[i] = x >> 33;
	}
	return 0;
}

static int compress_text(struct buf *out)
{
	struct gzip_stream s;
	int err = gzip_stream_open(&s, out);

	if (err)
		return err;
	for (size_t at = 0, size = 0; !err && at < sizeof(text); at += size, size = 3 * size + 1)
		err = gzip_stream_add(&s, text + at, size < sizeof(text) - at ? size : sizeof(text) - at);
	err = err ?: gzip_stream_finish(&s);
	gzip_stream_close(&s);
	return err;
}

TEST(pieces_are_a_whole)
{
	_cleanup_buf_ struct buf out = {}, plain = {};

	assert_int_equal(buf_add_string(&out, "kept"), 0);
	assert_int_equal(compress_text(&out), 0);
	assert_memory_equal(out.data, "kept", 4);
	decompress(&(struct buf){ .data = out.data + 4, .size = out.size - 4 }, &plain);
	assert_int_equal(plain.size, sizeof(text));
	assert_memory_equal(plain.data, text, sizeof(text));
}

TEST(memory_runs_short)
{
	int failures = 0, err;

	if (!fail_malloc_works()) {
		print_message("SKIP unit: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	do {
		_cleanup_buf_ struct buf out = {};

		allocations_left = failures++;
		err = compress_text(&out);
		allocations_left = -1;
		assert_true(!err || err == -ENOMEM);
	} while (err);
	assert_true(failures > 2);
}

AROUND_ALL(setup, NULL);
