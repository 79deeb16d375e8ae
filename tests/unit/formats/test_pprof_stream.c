// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_pprof_stream.c - records that are added one by one are one message behind what was there, and memory
 * that runs short anywhere is an error that leaks nothing.
 */
#include "tests/forge/fail_malloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/pprof_stream.h"
#include "tests/forge/decode.h"
#include "tests/forge/test.h"

static int add_string(struct pprof_stream *s, const char *text)
{
	return buf_add_string(&s->record, text) ?: pprof_stream_put(s, PPROF_STRING);
}

/* Records of sizes from nothing up to what several steps of the compressor take, which it cannot shorten. */
static int add_records(struct pprof_stream *s)
{
	static char text[100001];
	int err = 0;

	for (size_t i = 0, x = 1; i < sizeof(text) - 1; i++) {
		x = x * 6364136223846793005 + 1442695040888963407;
		text[i] = ' ' + (x >> 33) % 90;
	}
	for (size_t size = 0; size < sizeof(text) && !err; size = 10 * size + 1)
		err = add_string(s, text + sizeof(text) - 1 - size);
	return err;
}

/* As an encoder does it. */
static int write_records(struct buf *out)
{
	struct pprof_stream s;
	int err = pprof_stream_open(&s, out);

	if (err)
		return err;
	err = add_records(&s) ?: pprof_stream_finish(&s);
	pprof_stream_close(&s);
	return err;
}

TEST(records_are_one_message)
{
	_cleanup_buf_ struct buf out = { 0 };
	Pyperf__Profile *d;

	assert_int_equal(write_records(&out), 0);
	d = decode(&out);
	assert_int_equal(d->n_string_table, 6);
	for (size_t i = 0, size = 0; i < d->n_string_table; i++, size = 10 * size + 1)
		assert_int_equal(strlen(d->string_table[i]), size);
	pyperf__profile__free_unpacked(d, NULL);
}

TEST(what_was_there_is_kept)
{
	_cleanup_buf_ struct buf plain = { 0 }, out = { 0 };

	assert_int_equal(write_records(&plain), 0);
	assert_int_equal(buf_add_string(&out, "kept"), 0);
	assert_int_equal(write_records(&out), 0);
	assert_int_equal(out.size, plain.size + 4);
	assert_memory_equal(out.data, "kept", 4);
	assert_memory_equal(out.data + 4, plain.data, plain.size);
}

TEST(no_record_is_an_empty_message)
{
	_cleanup_buf_ struct buf out = { 0 }, plain = { 0 };
	struct pprof_stream s;

	assert_int_equal(pprof_stream_open(&s, &out), 0);
	assert_int_equal(pprof_stream_finish(&s), 0);
	pprof_stream_close(&s);
	decompress(&out, &plain);
	assert_int_equal(plain.size, 0);
}

TEST(memory_that_runs_short)
{
	int failures = 0;

	if (!fail_malloc_works())
		skip();
	for (int err = -ENOMEM; err; failures++) {
		_cleanup_buf_ struct buf out = { 0 };

		allocations_left = failures;
		err = write_records(&out);
		allocations_left = -1;
		assert_true(!err || err == -ENOMEM);
	}
	assert_true(failures > 5); /* zlib's, and those of two buffers that grow */
}
