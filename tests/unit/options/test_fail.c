// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fail.c - an error is one line of text that fits, whatever is in it.
 */
#include "tests/forge/test.h"
#include "tests/unit/options/parse_line.h"
#include "options/fail.h"

TEST(one_line_that_fits)
{
	char small[8];

	assert_int_equal(options_fail(error, sizeof(error), "%s and %d", "this", 7), -EINVAL);
	assert_string_equal(error, "this and 7");
	options_fail(error, sizeof(error), "%s", "a\nb\033c\x7f" "d\xff");
	assert_string_equal(error, "a?b?c?d\xff");
	options_fail(small, sizeof(small), "%s", "longer than it");
	assert_string_equal(small, "longer ");
}
