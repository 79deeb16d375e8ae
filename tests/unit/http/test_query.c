// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_query.c - keys and values of a request: what is taken, what is refused and in which words.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "http/query.h"
#include "tests/forge/test.h"

static struct query q;

static int set(const char *key, const char *value)
{
	query_begin(&q);
	return keys_add(&q.keys, &query_keys, key, value);
}

TEST(takes)
{
	query_begin(&q);
	assert_int_equal(q.seconds, QUERY_SECONDS);
	assert_int_equal(q.format, FORMAT_PPROF);
	assert_true(profile_filter_is_empty(&q.filter));
	assert_int_equal(keys_add(&q.keys, &query_keys, "seconds", "600"), 0);
	assert_int_equal(keys_add(&q.keys, &query_keys, "format", "folded"), 0);
	assert_int_equal(keys_add(&q.keys, &query_keys, "pid", "12"), 0);
	assert_int_equal(keys_add(&q.keys, &query_keys, "comm", "my app; \xc3\xa4"), 0);
	assert_int_equal(q.seconds, 600);
	assert_int_equal(q.format, FORMAT_FOLDED);
	assert_false(profile_filter_is_empty(&q.filter));
	assert_string_equal(q.keys.error, "");
	assert_false(q.filter.hide_native);
	assert_int_equal(keys_add(&q.keys, &query_keys, "hide", "native"), 0);
	assert_true(q.filter.hide_native);
	assert_int_equal(keys_add(&q.keys, &query_keys, "hide", "native"), -EINVAL); /* twice */
	assert_int_equal(set("seconds", "1"), 0);
	assert_int_equal(set("seconds", "007"), 0);
	assert_int_equal(q.seconds, 7);
	for (int i = 0; i < FORMATS; i++) {
		assert_int_equal(set("format", format_rows[i].name), 0);
		assert_int_equal(q.format, i);
	}
}

/* The forms that the page draws are asked for where they can be had. */
TEST(forms_of_the_page)
{
	struct query log;

	query_begin(&log);
	assert_int_equal(keys_add(&log.keys, &query_log_keys, "format", "heat"), 0);
	assert_int_equal(log.form, FORM_HEAT);
	query_begin(&log);
	assert_int_equal(keys_add(&log.keys, &query_log_keys, "format", "graph"), 0);
	assert_int_equal(log.form, FORM_GRAPH);
	query_begin(&log);
	assert_int_equal(keys_add(&log.keys, &query_log_keys, "format", "folded"), 0);
	assert_int_equal(log.form, FORM_NONE);
	assert_int_equal(set("format", "graph"), -EINVAL);
	assert_int_equal(set("format", "heat"), -EINVAL);
}

TEST(refuses)
{
	static const struct {
		const char *key, *value, *words;
	} rows[] = {
		{ "seconds", "0", "seconds wants" },
		{ "seconds", "601", "from 1 to 600" },
		{ "seconds", "-1", "'-1'" },
		{ "seconds", "1.5", "'1.5'" },
		{ "seconds", "", "seconds wants" },
		{ "seconds", NULL, "seconds=..." },
		{ "seconds", " 5", "seconds wants" },
		{ "seconds", "99999999999999999999999999", "seconds wants" },
		{ "seconds", "4294967297", "seconds wants" },
		{ "seconds", "30s", "'30s'" },
		{ "format", "png", "pprof or folded" },
		{ "format", "", "pprof or folded" },
		{ "hide", "", "hide wants native" },
		{ "hide", "python", "hide wants native, not 'python'" },
		{ "pid", "", "pid cannot be ''" },
		{ "pid", "x", "pid cannot be 'x'" },
		{ "pid", "-1", "pid cannot be" },
		{ "pid", "+1", "pid cannot be" },
		{ "pid", "2147483648", "pid cannot be" },
		{ "comm", "", "comm cannot be" },
		{ "second", "5", "there are seconds, format, hide, type, pid, comm" },
		{ "", "5", "is unknown" },
		{ "a\nb\x1b\xff", "5", "'a?b?" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (set(rows[i].key, rows[i].value) != -EINVAL)
			fail_msg("%s=%s was taken", rows[i].key, rows[i].value);
		if (!strstr(q.keys.error, rows[i].words))
			fail_msg("%s: not about %s", q.keys.error, rows[i].words);
	}
}

/* Also what no clock comes to, as milliseconds: it would be a time that has nothing to do with it. */
TEST(times_of_a_log)
{
	static const char *const keys[] = { "from", "to", "last" };
	static const char *const bad[] = { "99999999999999999999", "1700000000000", "10000000001", "0", "-1",
					   "1e3", "inf", "nan", "", "1.2.3", " 1", "1 " };
	static const char *const good[] = { "1700000000", "10000000000", "0.001", "12.5" };
	struct query log;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(bad); j++) {
			query_begin(&log);
			if (keys_add(&log.keys, &query_log_keys, keys[i], bad[j]) != -EINVAL)
				fail_msg("%s=%s was taken", keys[i], bad[j]);
		}
		for (size_t j = 0; j < ARRAY_SIZE(good); j++) {
			query_begin(&log);
			assert_int_equal(keys_add(&log.keys, &query_log_keys, keys[i], good[j]), 0);
		}
	}
}

TEST(long_ones_are_cut)
{
	char text[4096];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(set("comm", text), -EINVAL);
	assert_int_equal(set(text, text), -EINVAL);
	assert_true(strlen(q.keys.error) < KEYS_ERROR_SIZE - 1);
	text[FILTER_VALUE_MAX - 1] = '\0';
	assert_int_equal(set("comm", text), 0);
}

TEST(the_first_failure_stays)
{
	assert_int_equal(set("seconds", "5"), 0);
	assert_int_equal(keys_add(&q.keys, &query_keys, "seconds", "5"), -EINVAL);
	assert_non_null(strstr(q.keys.error, "twice"));
	assert_int_equal(keys_add(&q.keys, &query_keys, "format", "pprof"), -EINVAL);
	assert_non_null(strstr(q.keys.error, "twice"));
	assert_int_equal(set("pid", "5"), 0);
	assert_int_equal(keys_add(&q.keys, &query_keys, "pid", "6"), -EINVAL);
	assert_non_null(strstr(q.keys.error, "twice"));
}
