// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_table_cell.c - texts cut to a width: no character is halved, and the part that tells most stays.
 */
#include <string.h>

#include "tests/forge/test.h"
#include "views/table_cell.h"

static void assert_cut(const char *text, size_t width, bool is_path, const char *wanted)
{
	_cleanup_buf_ struct buf b = { 0 }, shown = { 0 };
	struct table_cell c;

	assert_int_equal(buf_add_string(&b, text), 0);
	c = table_cell_cut(&b, width, is_path);
	assert_int_equal(buf_printf(&shown, "%s%.*s%s", c.before, (int)c.size, c.text, c.behind), 0);
	assert_int_equal(table_cell_columns(shown.data ?: "", shown.size), c.columns);
	assert_int_equal(buf_add(&shown, "", 1), 0);
	assert_string_equal(shown.data, wanted);
}

TEST(what_fits_stays)
{
	assert_cut("", 10, false, "");
	assert_cut("abcdefghij", 10, false, "abcdefghij");
	assert_cut("/a/b/c.py", 10, true, "/a/b/c.py");
	assert_cut("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f", 4, false, "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f");
}

TEST(names_lose_their_end_and_paths_their_beginning)
{
	assert_cut("abcdefghijk", 10, false, "abcdefg...");
	assert_cut("/one/two/three.py", 14, true, ".../three.py");
	assert_cut("a-name-without-a-folder.py", 10, true, "...lder.py");
	assert_cut("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xc3\xa4", 4, false, "\xc3\xa4...");
}

TEST(locals_are_left_out)
{
	_cleanup_buf_ struct buf b = { 0 };

	table_cell_drop_locals(&b);
	assert_int_equal(b.size, 0);
	assert_int_equal(buf_add_string(&b, "a.<locals>.b.<locals>.c"), 0);
	table_cell_drop_locals(&b);
	assert_int_equal(b.size, 5);
	assert_memory_equal(b.data, "a.b.c", 5);
}
