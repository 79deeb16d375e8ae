// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_report_query.c - every name of --by, and what is none.
 */
#include <errno.h>
#include <string.h>

#include "report/report_query.h"
#include "tests/forge/test.h"

TEST(names)
{
	enum answer_by by;
	const char *label = "untouched";

	for (int i = 0; i < BY_LABEL; i++) {
		assert_int_equal(report_query_by(by_rows[i].name, &by, &label), 0);
		assert_int_equal(by, i);
		assert_null(label);
	}
	assert_int_equal(report_query_by("label:a:b", &by, &label), 0);
	assert_int_equal(by, BY_LABEL);
	assert_string_equal(label, "a:b");
	assert_int_not_equal(report_query_by("label:", &by, &label), 0);
	assert_int_not_equal(report_query_by("label", &by, &label), 0);
	assert_int_not_equal(report_query_by("functions", &by, &label), 0);
	assert_int_not_equal(report_query_by("", &by, &label), 0);
	assert_string_equal(label, "a:b");
}
