// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_stacks_query.c - each key of /debug/pyperf/stacks, and in which words others are refused.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "http/stacks_query.h"
#include "tests/forge/test.h"

TEST(what_is_asked_for)
{
	struct stacks_query q = { 0 };

	assert_int_equal(keys_add(&q.keys, &stacks_query_keys, "pid", "4194304"), 0);
	assert_int_equal(keys_add(&q.keys, &stacks_query_keys, "format", "json"), 0);
	assert_int_equal(keys_add(&q.keys, &stacks_query_keys, "async", "1"), 0);
	assert_int_equal(q.pid, 4194304);
	assert_true(q.json && q.async);
	q = (struct stacks_query){ 0 };
	assert_int_equal(keys_add(&q.keys, &stacks_query_keys, "format", "text"), 0);
	assert_int_equal(keys_add(&q.keys, &stacks_query_keys, "async", "0"), 0);
	assert_int_equal(keys_add(&q.keys, &stacks_query_keys, "pid", "0000001"), 0);
	assert_int_equal(q.pid, 1);
	assert_false(q.json || q.async);
}

TEST(what_is_refused)
{
	static const struct {
		const char *key, *value, *error;
	} rows[] = {
		{ "pid", "", "pid wants the number of a process, not ''" },
		{ "pid", "0", "pid wants the number of a process, not '0'" },
		{ "pid", "4194305", "pid wants the number of a process, not '4194305'" },
		{ "pid", "999999999999", "pid wants the number of a process, not '999999999999'" },
		{ "pid", " 1", "pid wants the number of a process, not ' 1'" },
		{ "pid", "1x", "pid wants the number of a process, not '1x'" },
		{ "pid", "-1\n", "pid wants the number of a process, not '-1?'" },
		{ "pid", NULL, "'pid' wants a value: pid=..." },
		{ "format", "", "format wants text or json, not ''" },
		{ "format", "JSON", "format wants text or json, not 'JSON'" },
		{ "async", "2", "async wants 1 or 0, not '2'" },
		{ "Pid", "1", "'Pid' is unknown: there are pid, format, async" },
		{ "<\x1b\xff>", "1", "'<?\?>' is unknown: there are pid, format, async" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stacks_query q = { 0 };

		assert_int_equal(keys_add(&q.keys, &stacks_query_keys, rows[i].key, rows[i].value), -EINVAL);
		assert_string_equal(q.keys.error, rows[i].error);
		assert_int_equal(keys_add(&q.keys, &stacks_query_keys, "pid", "7"),
				 -EINVAL); /* the first failure stays */
		assert_string_equal(q.keys.error, rows[i].error);
	}
}

TEST(nothing_twice)
{
	static const char *const rows[][2] = { { "pid", "1" }, { "format", "text" }, { "async", "0" } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stacks_query q = { 0 };

		assert_int_equal(keys_add(&q.keys, &stacks_query_keys, rows[i][0], rows[i][1]), 0);
		assert_int_equal(keys_add(&q.keys, &stacks_query_keys, rows[i][0], rows[i][1]), -EINVAL);
		assert_non_null(strstr(q.keys.error, " is there twice"));
	}
}
