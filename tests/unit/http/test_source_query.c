// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_source_query.c - each key of /debug/pyperf/source, and in which words others are refused.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "http/source_query.h"
#include "tests/forge/test.h"

static const struct {
	const char *key, *value;
} all[] = {
	{ "pid", "4194304" }, { "name", "A.<locals>.f" }, { "file", "/srv/a b.py" },
	{ "line", "0" },      { "from", "3" },		  { "to", "402" },
};

/* All keys but one; with its own value in that one's place, unless it is NULL. */
static void fill(struct source_query *q, const char *but, const char *value)
{
	*q = (struct source_query){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (strcmp(all[i].key, but))
			assert_int_equal(keys_add(&q->keys, &source_query_keys, all[i].key, all[i].value), 0);
	if (value)
		assert_int_equal(keys_add(&q->keys, &source_query_keys, but, value), 0);
}

TEST(what_is_asked_for)
{
	struct source_query q;

	fill(&q, "", NULL);
	assert_int_equal(source_query_end(&q), 0);
	assert_int_equal(q.pid, 4194304);
	assert_string_equal(q.name, "A.<locals>.f");
	assert_string_equal(q.file, "/srv/a b.py");
	assert_int_equal(q.line, 0);
	assert_int_equal(q.from, 3);
	assert_int_equal(q.to, 402);
}

TEST(what_is_missing_or_does_not_fit)
{
	struct source_query q;
	char error[64];

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		fill(&q, all[i].key, NULL);
		assert_int_equal(source_query_end(&q), -EINVAL);
		snprintf(error, sizeof(error), "%s is missing: %s=...", all[i].key, all[i].key);
		assert_string_equal(q.keys.error, error);
	}
	fill(&q, "to", "2");
	assert_int_equal(source_query_end(&q), -EINVAL);
	assert_string_equal(q.keys.error, "from and to want 1 to 400 lines");
	fill(&q, "to", "403");
	assert_int_equal(source_query_end(&q), -EINVAL);
}

TEST(what_is_refused)
{
	static const struct {
		const char *key, *value, *error;
	} rows[] = {
		{ "pid", "0", "pid wants a number from 1 on, not '0'" },
		{ "pid", "4194305", "pid wants a number from 1 on, not '4194305'" },
		{ "pid", "99999999999", "pid wants a number from 1 on, not '99999999999'" },
		{ "pid", " 1", "pid wants a number from 1 on, not ' 1'" },
		{ "line", "-1", "line wants a number from 0 on, not '-1'" },
		{ "line", "", "line wants a number from 0 on, not ''" },
		{ "from", "0", "from wants a number from 1 on, not '0'" },
		{ "to", "1\n", "to wants a number from 1 on, not '1?'" },
		{ "name", "", "name wants the name of a function, of 1023 bytes at most" },
		{ "file", "/etc/passwd", "file wants the whole path of a .py file, not '/etc/passwd'" },
		{ "file", "app.py", "file wants the whole path of a .py file, not 'app.py'" },
		{ "file", "<string>", "file wants the whole path of a .py file, not '<string>'" },
		{ "file", NULL, "'file' wants a value: file=..." },
		{ "lines", "1", "'lines' is unknown: there are pid, name, file, line, from, to" },
	};
	char name[SOURCE_QUERY_NAME_SIZE + 1];
	struct source_query q = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		q = (struct source_query){ 0 };
		assert_int_equal(keys_add(&q.keys, &source_query_keys, rows[i].key, rows[i].value), -EINVAL);
		assert_string_equal(q.keys.error, rows[i].error);
		assert_int_equal(keys_add(&q.keys, &source_query_keys, "pid", "7"),
				 -EINVAL); /* the first failure stays */
	}
	memset(name, 'n', sizeof(name));
	name[SOURCE_QUERY_NAME_SIZE] = '\0';
	q = (struct source_query){ 0 };
	assert_int_equal(keys_add(&q.keys, &source_query_keys, "name", name), -EINVAL);
	name[SOURCE_QUERY_NAME_SIZE - 1] = '\0';
	q = (struct source_query){ 0 };
	assert_int_equal(keys_add(&q.keys, &source_query_keys, "name", name), 0);
	assert_string_equal(q.name, name);
}
