// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_question.c - every name of --by, and what is none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "answers/question.h"

static void names(void **state)
{
	enum answer_by by;
	const char *label = "untouched";

	(void)state;
	for (int i = 0; i < BY_LABEL; i++) {
		assert_int_equal(question_by(by_rows[i].name, &by, &label), 0);
		assert_int_equal(by, i);
		assert_null(label);
	}
	assert_int_equal(question_by("label:a:b", &by, &label), 0);
	assert_int_equal(by, BY_LABEL);
	assert_string_equal(label, "a:b");
	assert_int_not_equal(question_by("label:", &by, &label), 0);
	assert_int_not_equal(question_by("label", &by, &label), 0);
	assert_int_not_equal(question_by("functions", &by, &label), 0);
	assert_int_not_equal(question_by("", &by, &label), 0);
	assert_string_equal(label, "a:b");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
