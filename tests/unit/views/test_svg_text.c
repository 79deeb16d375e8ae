// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_svg_text.c - text of XML: marks of XML are written as what they are, control characters are replaced,
 * and no more columns are written than asked for.
 */
#include <string.h>

#include "tests/forge/test.h"
#include "views/svg_text.h"

static const struct {
	const char *text;
	size_t columns;
	bool is_path;
	const char *wanted;
} cases[] = {
	{ "f", 10, false, "f" },
	{ "<a>&b", 10, false, "&lt;a&gt;&amp;b" },
	{ "abcdefghijkl", 8, false, "abcde..." },
	{ "/a/b/c/d/e/f.py", 10, true, ".../e/f.py" },
	{ "f.<locals>.g", 20, false, "f.g" },
};

TEST(is_text_of_xml)
{
	_cleanup_buf_ struct buf scratch = {};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_cleanup_buf_ struct buf out = {};

		assert_int_equal(svg_text(&out, &scratch, cases[i].text, cases[i].columns, cases[i].is_path),
				 0);
		assert_int_equal(buf_add(&out, "", 1), 0);
		assert_string_equal(out.data, cases[i].wanted);
	}
}

TEST(no_line_breaks)
{
	_cleanup_buf_ struct buf out = {}, scratch = {};

	assert_int_equal(svg_text(&out, &scratch, "a\nb\033[2J", 50, false), 0);
	assert_null(memchr(out.data, '\n', out.size));
	assert_null(memchr(out.data, '\033', out.size));
}
