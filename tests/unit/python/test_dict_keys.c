// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_dict_keys.c - where the entries of a dict are, by the headers of each version, and headers that are
 * none.
 */
#include <errno.h>

#include "python/dict_keys.h"
#include "tests/forge/test.h"

#define AT    0x10000ULL
#define V3_8  0x030800f0
#define V3_10 0x030a00f0
#define V3_11 0x030b00f0
#define V3_15 0x030f00f0

static struct dict_keys found;

/* Up to 3.10: a size, places that are free, entries. */
static int old(__u64 size, __u64 free, __u64 count)
{
	const __u64 header[DICT_KEYS_HEADER] = { 1, size, 0, free, count };
	const int err = dict_keys_parse(V3_8, header, AT, &found);

	assert_int_equal(dict_keys_parse(V3_10, header, AT, &found), err);
	return err;
}

/* From 3.11 on: logarithms of the size and of the bytes of indices, a kind, entries. */
static int new(__u64 size, __u64 bytes, __u64 kind, __u64 count)
{
	const __u64 header[DICT_KEYS_HEADER] = { 1, size | bytes << 8 | kind << 16, 0, count, ~0ULL };
	const int err = dict_keys_parse(V3_11, header, AT, &found);

	assert_int_equal(dict_keys_parse(V3_15, header, AT, &found), err);
	return err;
}

static void assert_found(__u64 entries, __u64 count, __u64 size, __u32 words, bool is_shared)
{
	assert_true(found.entries == AT + entries && found.count == count && found.size == size);
	assert_true(found.words == words && found.is_shared == is_shared);
}

TEST(up_to_3_10)
{
	assert_int_equal(old(8, 5, 0), 0);
	assert_found(40 + 8, 0, 8, 3, true);
	assert_int_equal(old(8, 3, 5), 0);
	assert_found(40 + 8, 5, 8, 3, true);
	assert_int_equal(old(8, 5, 5), 0); /* more than a table can have that classes share */
	assert_found(40 + 8, 5, 8, 3, false);
	assert_int_equal(old(256, 0, 170), 0);
	assert_found(40 + 2 * 256, 170, 256, 3, true);
	assert_int_equal(old(1 << 17, 0, 5), 0);
	assert_found(40 + 4 * (1 << 17), 5, 1 << 17, 3, true);
	assert_int_equal(old(1, 0, 0), 0); /* the empty one */
}

TEST(from_3_11_on)
{
	assert_int_equal(new (3, 3, 0, 5), 0);
	assert_found(32 + 8, 5, 8, 3, false);
	assert_int_equal(new (3, 3, 1, 5), 0);
	assert_found(32 + 8, 5, 8, 2, false);
	assert_int_equal(new (5, 5, 2, 30), 0);
	assert_found(32 + 32, 30, 32, 2, true);
	assert_int_equal(new (8, 9, 1, 170), 0);
	assert_found(32 + 512, 170, 256, 2, false);
	assert_int_equal(new (0, 3, 1, 0), 0); /* the empty one */
}

TEST(what_is_no_table)
{
	found = (struct dict_keys){ .entries = 77 };
	assert_int_equal(old(0, 0, 0), -EBADMSG);
	assert_int_equal(old(12, 0, 0), -EBADMSG);
	assert_int_equal(old(8, 0, 9), -EBADMSG);
	assert_int_equal(old(1 << 21, 0, 0), -EBADMSG);
	assert_int_equal(old(~0ULL, 0, 0), -EBADMSG);
	assert_int_equal(new (3, 2, 0, 0), -EBADMSG);
	assert_int_equal(new (3, 7, 0, 0), -EBADMSG);
	assert_int_equal(new (25, 27, 0, 0), -EBADMSG);
	assert_int_equal(new (3, 3, 3, 0), -EBADMSG);
	assert_int_equal(new (3, 3, 0, 9), -EBADMSG);
	assert_int_equal(new (3, 3, 0, ~0ULL), -EBADMSG);
	assert_int_equal(found.entries, 77);
}
