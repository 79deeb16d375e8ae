// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_base64.c - the examples of RFC 4648, all bytes, and lengths that leave a rest.
 */
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "tests/forge/test.h"

TEST(examples)
{
	static const char *const cases[][2] = {
		{ "", "" },
		{ "f", "Zg==" },
		{ "fo", "Zm8=" },
		{ "foo", "Zm9v" },
		{ "foob", "Zm9vYg==" },
		{ "fooba", "Zm9vYmE=" },
		{ "foobar", "Zm9vYmFy" },
		{ "\xfb\xff\xbf", "+/+/" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_buf_ struct buf b = {};

		assert_int_equal(buf_add_base64(&b, cases[i][0], strlen(cases[i][0])), 0);
		assert_int_equal(b.size, strlen(cases[i][1]));
		if (b.size)
			assert_memory_equal(b.data, cases[i][1], b.size);
	}
}

TEST(is_appended)
{
	_cleanup_buf_ struct buf b = {};

	assert_int_equal(buf_add_string(&b, "x:"), 0);
	assert_int_equal(buf_add_base64(&b, "\0\0\0\0", 4), 0);
	assert_int_equal(b.size, 10);
	assert_memory_equal(b.data, "x:AAAAAA==", 10);
}
