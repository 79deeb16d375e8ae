// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_buf.c - growth, what the text functions do to hostile bytes, and strings of JSON.
 */

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"

static void assert_text(struct buf *b, const char *expected)
{
	assert_int_equal(buf_add(b, "", 1), 0);
	assert_string_equal(b->data, expected);
	buf_clear(b);
}

TEST(grows_and_keeps_what_it_holds)
{
	_cleanup_buf_ struct buf b = { 0 };

	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(buf_add(&b, &i, sizeof(i)), 0);
	assert_int_equal(b.size, 400000);
	assert_true(b.capacity < 800000);
	for (uint32_t i = 0; i < 100000; i++)
		assert_memory_equal(b.data + 4 * i, &i, sizeof(i));
}

TEST(prints_longer_than_it_has_room_for)
{
	_cleanup_buf_ struct buf b = { 0 };

	assert_int_equal(buf_add_string(&b, "<"), 0);
	assert_int_equal(buf_printf(&b, "%01000d", 7), 0);
	assert_int_equal(buf_printf(&b, "%s", ""), 0);
	assert_int_equal(b.size, 1001);
	assert_memory_equal(b.data + 996, "00007", 5);
}

TEST(numbers)
{
	_cleanup_buf_ struct buf b = {};

	assert_int_equal(buf_add_number(&b, 0), 0);
	assert_int_equal(buf_add_number(&b, 10), 0);
	assert_int_equal(buf_add_number(&b, 18446744073709551615ULL), 0);
	assert_text(&b, "01018446744073709551615");
}

TEST(refuses_impossible_sizes_unchanged)
{
	_cleanup_buf_ struct buf b = { 0 };

	assert_int_equal(buf_add_string(&b, "kept"), 0);
	assert_int_equal(buf_reserve(&b, SIZE_MAX), -ENOMEM);
	assert_int_equal(buf_reserve(&b, SIZE_MAX - 4), -ENOMEM);
	assert_int_equal(buf_reserve(&b, BUF_MAX - 3), -ENOMEM);
	assert_text(&b, "kept");
}

TEST(a_limit_of_its_own)
{
	_cleanup_buf_ struct buf b = { .size_max = 7 };

	assert_int_equal(buf_add_string(&b, "kept"), 0);
	assert_int_equal(buf_add_string(&b, "more"), -ENOMEM);
	assert_int_equal(buf_reserve(&b, SIZE_MAX), -ENOMEM);
	assert_int_equal(buf_add_string(&b, "all"), 0);
	assert_int_equal(buf_add(&b, "", 1), -ENOMEM);
	b.size_max = 8;
	assert_text(&b, "keptall");
}

TEST(utf8_length_knows_every_boundary)
{
	static const struct {
		const char *s;
		size_t length;
	} cases[] = {
		{ "", 0 },
		{ "a", 1 },
		{ "\x7f", 1 },
		{ "\x80", 0 },
		{ "\xc1\xbf", 0 },
		{ "\xc2\x80", 2 },
		{ "\xdf\xbf", 2 },
		{ "\xc3", 0 },
		{ "\xe0\x9f\xbf", 0 },
		{ "\xe0\xa0\x80", 3 },
		{ "\xed\x9f\xbf", 3 },
		{ "\xed\xa0\x80", 0 },
		{ "\xed\xbf\xbf", 0 },
		{ "\xee\x80\x80", 3 },
		{ "\xef\xbf\xbf", 3 },
		{ "\xe2\x82", 0 },
		{ "\xf0\x8f\xbf\xbf", 0 },
		{ "\xf0\x90\x80\x80", 4 },
		{ "\xf4\x8f\xbf\xbf", 4 },
		{ "\xf4\x90\x80\x80", 0 },
		{ "\xf5\x80\x80\x80", 0 },
		{ "\xff", 0 },
		{ "\xf0\x9f\x90", 0 },
		{ "\xc3(", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(buf_utf8_length(cases[i].s), cases[i].length);
}

TEST(utf8_replaces_each_invalid_byte)
{
	_cleanup_buf_ struct buf b = { 0 };

	assert_int_equal(buf_add_utf8(&b,
				      "a\xff"
				      "b\xe2\x82"
				      "c\xc3\xa4\xf0\x9f\x90\x8d",
				      100),
			 0);
	assert_text(&b, "a\xef\xbf\xbd"
			"b\xef\xbf\xbd\xef\xbf\xbd"
			"c\xc3\xa4\xf0\x9f\x90\x8d");
}

TEST(utf8_is_cut_between_characters)
{
	_cleanup_buf_ struct buf b = { 0 };

	assert_int_equal(buf_add_utf8(&b, "ab\xc3\xa4z", 3), 0);
	assert_text(&b, "ab");
	assert_int_equal(buf_add_utf8(&b, "ab\xc3\xa4z", 4), 0);
	assert_text(&b, "ab\xc3\xa4");
	assert_int_equal(buf_add_utf8(&b, "a\xff", 3), 0);
	assert_text(&b, "a");
	assert_int_equal(buf_add_utf8(&b, "abc", 0), 0);
	assert_text(&b, "");
}

TEST(shown_text_cannot_break_lines_or_terminals)
{
	_cleanup_buf_ struct buf b = { 0 };
	char s[2] = { 0 };

	for (int c = 1; c < 256; c++) {
		s[0] = (char)c;
		assert_int_equal(buf_add_shown(&b, s, true), 0);
		assert_int_equal(b.size, 1);
		assert_int_equal(b.data[0], c == ';' ? ':' : c < 32 || c >= 127 ? '?' : c);
		buf_clear(&b);
	}
	assert_int_equal(buf_add_shown(&b,
				       "\x1b[2J\xc2\x9b"
				       "1m\xe2\x80\xa8\xe2\x80\xa9|\xc2\xa0\xc3\xa4",
				       true),
			 0);
	assert_text(&b, "?[2J?1m??|\xc2\xa0\xc3\xa4");
	/* Text that would be read in another order than it is written in. */
	assert_int_equal(buf_add_shown(&b, "\xe2\x80\xae|\xe2\x81\xa7|\xe2\x80\xaf|\xe2\x81\xaa", true), 0);
	assert_text(&b, "?|?|\xe2\x80\xaf|\xe2\x81\xaa");
	assert_int_equal(buf_add_shown(&b, "a;b", false), 0);
	assert_text(&b, "a;b");
}

TEST(json_strings)
{
	_cleanup_buf_ struct buf b = { 0 };

	assert_int_equal(buf_add_json(&b, ""), 0);
	assert_text(&b, "\"\"");
	assert_int_equal(buf_add_json(&b, "a\"b\\c/d \xc3\xa4"), 0);
	assert_text(&b, "\"a\\\"b\\\\c/d \xc3\xa4\"");
	assert_int_equal(buf_add_json(&b, "\x01\n\t\x1f\x7f~"), 0);
	assert_text(&b, "\"\\u0001\\u000a\\u0009\\u001f\\u007f~\"");
	/* CSI of C1, Arabic letter mark, marks of direction, line separator, isolates; and neighbours. */
	assert_int_equal(buf_add_json(&b, "\xc2\x80\xc2\x9b\xc2\xa0\xd8\x9c\xd8\x9d"), 0);
	assert_text(&b, "\"\\u0080\\u009b\xc2\xa0\\u061c\xd8\x9d\"");
	assert_int_equal(buf_add_json(&b, "\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\xa8\xe2\x80\xae"
					  "\xe2\x80\xaf"),
			 0);
	assert_text(&b, "\"\xe2\x80\x8d\\u200e\\u2028\\u202e\xe2\x80\xaf\"");
	assert_int_equal(buf_add_json(&b, "\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xf0\x9f\x90\x8d"), 0);
	assert_text(&b, "\"\xe2\x81\xa5\\u2066\\u2069\xf0\x9f\x90\x8d\"");
	assert_int_equal(buf_add_json(&b, "\x9b\xc3(\xff"), 0); /* no UTF-8 */
	assert_text(&b, "\"\\ufffd\\ufffd(\\ufffd\"");
}

/* Neither a part of a string nor a quote is left behind. */
/* A document in which a library has undone the escapes; what is escaped stays so. */
TEST(json_that_is_shown)
{
	static const char text[] = "{\"a\":[\"\xe2\x80\xae\xc2\x9b \x7f\xff\",\"\\n\\\"\\\\\"]}";
	_cleanup_buf_ struct buf b = {};

	assert_int_equal(buf_add_json_shown(&b, text), 0);
	assert_int_equal(buf_add(&b, "", 1), 0);
	assert_string_equal(b.data, "{\"a\":[\"\\u202e\\u009b \\u007f\\ufffd\",\"\\n\\\"\\\\\"]}");
	buf_clear(&b);
	b.size_max = 8;
	assert_int_equal(buf_add_json_shown(&b, "\"\xe2\x80\xae\xe2\x80\xae\""), -ENOMEM);
	assert_int_equal(b.size, 0);
}

TEST(json_needs_memory)
{
	int failures = 0, err;

	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	do {
		_cleanup_buf_ struct buf b = { 0 };
		char text[1000] = "";

		memset(text, '\n', sizeof(text) - 1);
		assert_int_equal(buf_add_string(&b, "kept"), 0);
		allocations_left = failures;
		err = buf_add_json(&b, text);
		allocations_left = -1;
		assert_int_equal(b.size, err ? 4 : 4 + 2 + 6 * 999);
		failures += err != 0;
	} while (err);
	assert_true(failures > 2);
}
