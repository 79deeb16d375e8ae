// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_unpacked.c - gzip or not, several members, cut off anywhere, and a bomb.
 */
#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#include <string.h>

#include "recorded/unpacked.h"
#include "tests/forge/test.h"

/* Appends `size` bytes, compressed. */
static void add_gzip(struct buf *b, const char *data, size_t size)
{
	z_stream z = { .next_in = (Bytef *)data, .avail_in = size };

	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(buf_reserve(b, size / 500 + 1000), 0);
	z.next_out = (Bytef *)b->data + b->size;
	z.avail_out = size / 500 + 1000;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	b->size += z.total_out;
	deflateEnd(&z);
}

TEST(as_it_is)
{
	_cleanup_buf_ struct buf out = { 0 };

	assert_int_equal(unpacked_add("plain", 5, &out), 0);
	assert_int_equal(unpacked_add("", 0, &out), 0);
	assert_int_equal(out.size, 5);
	assert_memory_equal(out.data, "plain", 5);
}

TEST(members_one_behind_the_other)
{
	_cleanup_buf_ struct buf packed = { 0 }, out = { 0 };

	add_gzip(&packed, "one ", 4);
	add_gzip(&packed, "", 0);
	add_gzip(&packed, "two", 3);
	assert_int_equal(unpacked_add(packed.data, packed.size, &out), 0);
	assert_int_equal(out.size, 7);
	assert_memory_equal(out.data, "one two", 7);
}

TEST(cut_off_anywhere)
{
	_cleanup_buf_ struct buf packed = { 0 }, out = { 0 };

	add_gzip(&packed, "some text that is compressed", 28);
	assert_int_equal(unpacked_add("before", 6, &out), 0);
	for (size_t size = 2; size < packed.size; size++) {
		assert_int_equal(unpacked_add(packed.data, size, &out), -EBADMSG);
		assert_int_equal(out.size, 6);
	}
	packed.data[packed.size - 5] ^= 1; /* of the sum at the end */
	assert_int_equal(unpacked_add(packed.data, packed.size, &out), -EBADMSG);
}

TEST(a_bomb)
{
	_cleanup_buf_ struct buf packed = { 0 }, out = { 0 };
	char *zeros = calloc(1, (size_t)16 << 20);

	assert_non_null(zeros);
	for (int i = 0; i < 20; i++)
		add_gzip(&packed, zeros, (size_t)16 << 20);
	free(zeros);
	assert_int_equal(unpacked_add(packed.data, packed.size, &out), -EFBIG);
	assert_int_equal(out.size, 0);
}
