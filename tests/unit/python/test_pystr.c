// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_pystr.c - every kind of string, and every way its bytes can be no text: the result must be valid
 * UTF-8.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "python/pystr.h"

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

static void test_each_kind(void **state)
{
	const __u16 two[] = { 'f', 0xe9, 0x20ac, 0x4e2d };
	const __u32 four[] = { 'g', 0x1f40d, 0x10ffff };

	(void)state;
	decodes_to("main", 4, 1, "main");
	decodes_to("caf\xe9\xff\x80", 6, 1, "caf\xc3\xa9\xc3\xbf\xc2\x80");
	decodes_to(two, sizeof(two), 2, "f\xc3\xa9\xe2\x82\xac\xe4\xb8\xad");
	decodes_to(four, sizeof(four), 4, "g\xf0\x9f\x90\x8d\xf4\x8f\xbf\xbf");
	decodes_to("", 0, 1, "");
	decodes_to("", 0, 4, "");
}

static void test_what_is_no_character_is_replaced(void **state)
{
	/* A pair of surrogates in a Python string is two lone ones, not one character. */
	const __u16 two[] = { 0xd83d, 0xdc0d, 0xdfff, 0xd7ff, 0xe000 };
	const __u32 four[] = { 0x110000, 0xffffffff, 0xd800, 0, 0x80000041 };

	(void)state;
	decodes_to(two, sizeof(two), 2, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xed\x9f\xbf\xee\x80\x80");
	decodes_to(four, sizeof(four), 4, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	decodes_to("a\0b", 3, 1,
		   "a\xef\xbf\xbd"
		   "b");
}

static void test_refused(void **state)
{
	static const unsigned int kinds[] = { 0, 3, 5, 7, 8 };
	char text[8] = "kept";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		assert_int_equal(pystr_decode((const __u8 *)"abcdefgh", 8, kinds[i], text, sizeof(text)),
				 -EINVAL);
	assert_int_equal(pystr_decode((const __u8 *)"abc", 3, 2, text, sizeof(text)), -EINVAL);
	assert_int_equal(pystr_decode((const __u8 *)"abcdef", 6, 4, text, sizeof(text)), -EINVAL);
	assert_int_equal(pystr_decode((const __u8 *)"abc", 3, 1, text, 0), -EINVAL);
	assert_string_equal(text, "kept");
}

static void test_cut_at_a_whole_character(void **state)
{
	const __u16 two[] = { 0x20ac, 0x20ac, 0x20ac };
	char *text;

	(void)state;
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

static void test_longest_fits(void **state)
{
	__u8 bytes[STRING_MAX];
	char text[PYSTR_SIZE];

	(void)state;
	memset(bytes, 0xff, sizeof(bytes));
	assert_int_equal(pystr_decode(bytes, sizeof(bytes), 1, text, sizeof(text)), 2 * STRING_MAX);
	assert_int_equal(utf8_count(text, 2 * STRING_MAX), STRING_MAX);
}

static void test_noise_is_valid_utf8(void **state)
{
	static const unsigned int kinds[] = { 1, 2, 4 };
	__u32 seed = 12345, mask;
	__u32 words[64];
	char text[PYSTR_SIZE];

	(void)state;
	for (int round = 0; round < 20000; round++) {
		/* Mostly small values: half of the random words would otherwise be above 0x10ffff. */
		mask = round % 3 ? 0x1fffff : 0xffffffff;
		for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
			seed = seed * 1664525 + 1013904223;
			words[i] = (seed ^ seed >> 15) & mask;
		}
		unsigned int kind = kinds[round % ARRAY_SIZE(kinds)];
		int len = pystr_decode((const __u8 *)words, sizeof(words), kind, text, sizeof(text));

		assert_true(len > 0);
		assert_int_equal(utf8_count(text, (size_t)len), sizeof(words) / kind);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_kind),    cmocka_unit_test(test_what_is_no_character_is_replaced),
		cmocka_unit_test(test_refused),	     cmocka_unit_test(test_cut_at_a_whole_character),
		cmocka_unit_test(test_longest_fits), cmocka_unit_test(test_noise_is_valid_utf8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
