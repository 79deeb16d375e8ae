// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_row_index.c - rows by their texts, and texts that are cut to their field. What hostile names become is
 * in test_rows.c.
 */
#include <string.h>

#include "top/row_index.h"
#include "tests/forge/test.h"

TEST(rows_of_the_same_texts_are_one)
{
	_cleanup_row_index_ struct row_index *all = NULL;
	struct top_row rows[3] = { { .name = "f", .where = "a.py:1", .self = 1, .total = 1 } };
	struct top_rows to = { .rows = rows };

	assert_null(row_index_find(all, &rows[0]));
	assert_ptr_equal(row_index_merge(&all, &to), &rows[0]);
	rows[1] = rows[0];
	assert_ptr_equal(row_index_merge(&all, &to), &rows[0]);
	assert_int_equal(to.count, 1);
	rows[1].where[0] = 'b';
	assert_ptr_equal(row_index_merge(&all, &to), &rows[1]);
	assert_int_equal(to.count, 2);
	assert_ptr_equal(row_index_find(all, &rows[1]), &rows[1]);
	assert_int_not_equal(row_index_compare(&rows[0], &rows[1]), 0);
}

TEST(a_text_and_its_line)
{
	char field[8];

	memset(field, 'x', sizeof(field));
	row_index_set_text(field, sizeof(field), "a.py", 12);
	assert_memory_equal(field, "a.py:12", 8);
	row_index_set_text(field, sizeof(field), "long.py", 12);
	assert_string_equal(field, "long:12");
	row_index_set_text(field, sizeof(field), "a", 0);
	assert_memory_equal(field, "a\0\0\0\0\0\0", 8);
}
