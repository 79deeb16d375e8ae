// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_pystr.c - every kind of string, and every way its bytes can be no text: the result must be valid
 * UTF-8.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "python/pystr.h"
#include "tests/forge/test.h"

/* Accepts exactly what RFC 3629 does, and no NUL. Returns the number of characters, or -1. */
static int utf8_count(const char *text, size_t len)
{
	const __u8 *at = (const __u8 *)text, *end = at + len;
	static const __u32 least[] = { 0, 1, 0x80, 0x800, 0x10000 };
	int count = 0;

	for (; at < end; count++) {
		size_t n = *at < 0x80 ? 1 : *at >> 5 == 6 ? 2 : *at >> 4 == 14 ? 3 : *at >> 3 == 30 ? 4 : 0;
		__u32 c;

		if (!n || (size_t)(end - at) < n)
			return -1;
		c = n == 1 ? *at : *at & (0x7f >> n);
		for (size_t i = 1; i < n; i++) {
			if (at[i] >> 6 != 2)
				return -1;
			c = c << 6 | (at[i] & 0x3f);
		}
		if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
			return -1;
		at += n;
	}
	return count;
}

static void decodes_to(const void *bytes, size_t size, unsigned int kind, const char *expected)
{
	char text[PYSTR_SIZE];

	assert_int_equal(pystr_decode(bytes, size, kind, text, sizeof(text)), strlen(expected));
	assert_string_equal(text, expected);
}

TEST(test_each_kind)
{
	const __u16 two[] = { 'f', 0xe9, 0x20ac, 0x4e2d };
	const __u32 four[] = { 'g', 0x1f40d, 0x10ffff };

	decodes_to("main", 4, 1, "main");
	decodes_to("caf\xe9\xff\x80", 6, 1, "caf\xc3\xa9\xc3\xbf\xc2\x80");
	decodes_to(two, sizeof(two), 2, "f\xc3\xa9\xe2\x82\xac\xe4\xb8\xad");
	decodes_to(four, sizeof(four), 4, "g\xf0\x9f\x90\x8d\xf4\x8f\xbf\xbf");
	decodes_to("", 0, 1, "");
	decodes_to("", 0, 4, "");
}

TEST(test_what_is_no_character_is_replaced)
{
	/* A pair of surrogates in a Python string is two lone ones, not one character. */
	const __u16 two[] = { 0xd83d, 0xdc0d, 0xdfff, 0xd7ff, 0xe000 };
	const __u32 four[] = { 0x110000, 0xffffffff, 0xd800, 0, 0x80000041 };

	decodes_to(two, sizeof(two), 2, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xed\x9f\xbf\xee\x80\x80");
	decodes_to(four, sizeof(four), 4, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	decodes_to("a\0b", 3, 1,
		   "a\xef\xbf\xbd"
		   "b");
}

TEST(test_refused)
{
	static const unsigned int kinds[] = { 0, 3, 5, 7, 8 };
	char text[8] = "kept";

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		assert_int_equal(pystr_decode((const __u8 *)"abcdefgh", 8, kinds[i], text, sizeof(text)),
				 -EINVAL);
	assert_int_equal(pystr_decode((const __u8 *)"abc", 3, 2, text, sizeof(text)), -EINVAL);
	assert_int_equal(pystr_decode((const __u8 *)"abcdef", 6, 4, text, sizeof(text)), -EINVAL);
	assert_int_equal(pystr_decode((const __u8 *)"abc", 3, 1, text, 0), -EINVAL);
	assert_string_equal(text, "kept");
}

TEST(test_cut_at_a_whole_character)
{
	const __u16 two[] = { 0x20ac, 0x20ac, 0x20ac };
	char *text;

	/* Exactly sized allocations, so that the sanitizer sees a byte too many. */
	for (size_t room = 1; room <= 11; room++) {
		text = malloc(room);
		assert_non_null(text);
		assert_int_equal(pystr_decode((const __u8 *)two, sizeof(two), 2, text, room),
				 (room - 1) / 3 > 3 ? 9 : (room - 1) / 3 * 3);
		assert_int_equal(strlen(text) % 3, 0);
		free(text);
	}
}

TEST(test_longest_fits)
{
	__u8 bytes[STRING_MAX];
	char text[PYSTR_SIZE];

	memset(bytes, 0xff, sizeof(bytes));
	assert_int_equal(pystr_decode(bytes, sizeof(bytes), 1, text, sizeof(text)), 2 * STRING_MAX);
	assert_int_equal(utf8_count(text, 2 * STRING_MAX), STRING_MAX);
}

static void bytes_decode_to(const char *bytes, size_t size, bool cut, const char *expected)
{
	__u8 *copy = malloc(size ? size : 1);
	char text[PYSTR_SIZE];

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	assert_int_equal(pystr_decode_bytes(copy, size, cut, text, sizeof(text)), strlen(expected));
	assert_string_equal(text, expected);
	free(copy);
}

/* 2.7: whatever is UTF-8 as a whole is taken for it; one byte that is not, and all are Latin-1. */
TEST(test_bytes_of_unknown_encoding)
{
	static const struct {
		const char *bytes, *latin;
	} bad[] = {
		{ "caf\xe9!", "caf\xc3\xa9!" },		 { "\xc3\xa9\xff", "\xc3\x83\xc2\xa9\xc3\xbf" },
		{ "\x80", "\xc2\x80" },			 { "\xc0\xaf", "\xc3\x80\xc2\xaf" },
		{ "\xed\xa0\x80", "\xc3\xad\xc2\xa0\xc2\x80" },
		{ "\xf5\x80\x80\x80", "\xc3\xb5\xc2\x80\xc2\x80\xc2\x80" },
		{ "\xe2(\xa1", "\xc3\xa2(\xc2\xa1" },	 { "\xf8", "\xc3\xb8" },
	};

	bytes_decode_to("", 0, false, "");
	bytes_decode_to("main", 4, false, "main");
	bytes_decode_to("\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x8d", 9, false,
			"\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x8d");
	bytes_decode_to("\xc3\xa9\0b", 4, false,
			"\xc3\xa9\xef\xbf\xbd"
			"b");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		for (int cut = 0; cut < 2; cut++)
			bytes_decode_to(bad[i].bytes, strlen(bad[i].bytes), cut, bad[i].latin);
	/* The end of what was kept need not be that of a character, the end of the string must. */
	bytes_decode_to("a\xe2\x82", 3, true, "a");
	bytes_decode_to("a\xe2\x82", 3, false, "a\xc3\xa2\xc2\x82");
	bytes_decode_to("a\xc3", 2, true, "a");
}

TEST(test_bytes_into_little_room)
{
	for (size_t room = 1; room <= 9; room++) {
		char *text = malloc(room);

		assert_non_null(text);
		assert_true(pystr_decode_bytes((const __u8 *)"\xe2\x82\xac\0z", 5, false, text, room) <
			    (int)room);
		assert_int_equal(utf8_count(text, strlen(text)), room < 4   ? 0
								 : room < 7 ? 1
								 : room < 8 ? 2
									    : 3);
		free(text);
	}
	assert_int_equal(pystr_decode_bytes((const __u8 *)"a", 1, false, NULL, 0), -EINVAL);
}

TEST(test_noise_is_valid_utf8)
{
	static const unsigned int kinds[] = { 1, 2, 4 };
	__u32 seed = 12345, mask;
	__u32 words[64];
	char text[PYSTR_SIZE];

	for (int round = 0; round < 20000; round++) {
		/* Mostly small values: half of the random words would otherwise be above 0x10ffff. */
		mask = round % 3 ? 0x1fffff : 0xffffffff;
		for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
			seed = seed * 1664525 + 1013904223;
			words[i] = (seed ^ seed >> 15) & mask;
		}
		unsigned int kind = kinds[round % ARRAY_SIZE(kinds)];
		int len = pystr_decode_bytes((const __u8 *)words, 1 + round % 16, round & 1, text,
					     sizeof(text));

		assert_true(len >= 0 && utf8_count(text, (size_t)len) >= 0);
		len = pystr_decode((const __u8 *)words, sizeof(words), kind, text, sizeof(text));

		assert_true(len > 0);
		assert_int_equal(utf8_count(text, (size_t)len), sizeof(words) / kind);
	}
}

/* A header says where its characters are; what cannot be is no str. */
TEST(test_headers)
{
	struct layout l = { .str_length = 16, .str_state = 32, .str_ascii = 40, .str_compact = 56,
			    .str_kind_shift = 2, .str_compact_bit = 5, .str_ascii_bit = 6 };
	__u64 header[5] = { 0, 0, 7, 0, 1 << 2 | 1 << 5 | 1 << 6 };
	struct pystr found = { 0 };

	assert_int_equal(pystr_parse(&l, (__u8 *)header, &found), 0);
	assert_true(found.length == 7 && found.kind == 1 && found.is_compact && found.is_ascii);
	assert_int_equal(pystr_inside(&l, &found, 4096), 4096 + 40);
	header[4] = 2 << 2 | 1 << 5;
	assert_int_equal(pystr_parse(&l, (__u8 *)header, &found), 0);
	assert_true(found.kind == 2 && found.is_compact && !found.is_ascii);
	assert_int_equal(pystr_inside(&l, &found, 4096), 4096 + 56);
	for (__u64 kind = 0; kind < 8; kind++) {
		header[4] = kind << 2;
		assert_int_equal(pystr_parse(&l, (__u8 *)header, &found),
				 kind == 1 || kind == 2 || kind == 4 ? 0 : -EBADMSG);
	}
	assert_false(found.is_compact);
	assert_int_equal(found.kind, 4);
	header[4] = 1 << 2;
	l.str_state = 38; /* it would be read behind the header */
	assert_int_equal(pystr_parse(&l, (__u8 *)header, &found), -EBADMSG);
}
