// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_stored_query.c - what the URL of a store asks for: its bytes may be coded, and nothing is guessed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "run/stored_query.h"
#include "tests/forge/test.h"

#define STORE "pyroscope+http://store:4040"
#define CPU   "process_cpu:cpu:nanoseconds:cpu:nanoseconds"

static const struct options options = { .from_ns = 1000, .to_ns = 2000 };
static struct stored_query q;

static int parse(const char *fields, const char *labels)
{
	static char url[3 * STORED_QUERY_MAX];

	snprintf(url, sizeof(url), "%s%s", STORE, fields);
	return stored_query_parse(&options, url, labels, &q);
}

static void selects(const char *fields, const char *selector)
{
	assert_int_equal(parse(fields, NULL), 0);
	assert_string_equal(q.selector, selector);
}

TEST(kinds_of_stores)
{
	static const char *const none[] = { "", "http://store", "pyroscope", "parca+ftp://store", "a.pb.gz" };
	enum stored_kind kind = STORED_PARCA;

	assert_true(stored_query_is(STORE, &kind) && kind == STORED_PYROSCOPE);
	assert_true(stored_query_is("parca+https://store", &kind) && kind == STORED_PARCA);
	assert_true(stored_query_is("pyroscope+https://store", NULL));
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		assert_false(stored_query_is(none[i], &kind));
	assert_int_equal(kind, STORED_PARCA);
}

TEST(without_fields)
{
	selects("///", "{}");
	assert_string_equal(q.type, CPU);
	assert_int_equal(q.own_size, strlen("http://store:4040"));
	assert_memory_equal(q.own, "http://store:4040", q.own_size);
	assert_true(q.from_ns == 1000 && q.to_ns == 2000 && !*q.tenant);
	assert_int_equal(stored_query_parse(&options, "parca+http://store", NULL, &q), 0);
	assert_string_equal(q.type, CPU ":delta");
}

TEST(bytes_that_are_coded)
{
	selects("?query={a=\"b\"}", "{a=\"b\"}");
	selects("?query=%7Ba%3d%22b%22%7d", "{a=\"b\"}");
	selects("?query={a=\"%2\"}", "{a=\"%2\"}");
	selects("?query={a=\"%zz%2g%\"}", "{a=\"%zz%2g%\"}");
	selects("?query={a}%4", "{a}%4");
	selects("?query={a}%41", "{a}A");
	selects("?query={a}%2541", "{a}%41"); /* once */
	selects("?query={a}%26until=3&from=-1h&until=now", "{a}&until=3");
	selects("?query={a}+b", "{a}+b");
	assert_int_equal(parse("?query={a}%00", NULL), -EINVAL);
}

TEST(types_and_selectors)
{
	char type[STORED_QUERY_MAX];

	selects("?query=memory:rss:bytes:a:b{x=\"y\"}", "{x=\"y\"}");
	assert_string_equal(q.type, "memory:rss:bytes:a:b");
	assert_true(stored_query_type(&q, "samples", "count", type));
	assert_string_equal(type, "memory:samples:count:a:b");
	selects("?query=odd", "{}");
	assert_false(stored_query_type(&q, "samples", "count", type));
	assert_int_equal(parse("?query={a=\"b\"}", "c=\"d\""), 0);
	assert_string_equal(q.selector, "{a=\"b\",c=\"d\"}");
	assert_int_equal(parse("", "c=\"d\""), 0);
	assert_string_equal(q.selector, "{c=\"d\"}");
	assert_int_equal(parse("", "c=\"d\"} or {"), -EINVAL);
	assert_int_equal(parse("?query={a", "c=\"d\""), -EINVAL);
}

TEST(fields_that_are_none)
{
	static const char *const wrong[] = {
		"?query", "?query&from=now", "?=a", "?unknown=a", "?a_name_that_is_too_long=a", "?from=never",
		"?tenant=", "?tenant=a%0d%0aB:%20c", "?tenant=a/b", "?from=now&until=-1h",
		"?from=-1h&until=-1h",
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_int_equal(parse(wrong[i], NULL), -EINVAL);
	assert_int_equal(parse("?tenant=team-1", NULL), 0);
	assert_string_equal(q.tenant, "team-1");
	assert_int_equal(stored_query_parse(&options, "parca+http://me:secret@store", NULL, &q), -EINVAL);
}

TEST(as_long_as_may_be)
{
	static char fields[STORED_QUERY_MAX + 16] = "?query={";
	const size_t begin = strlen(fields), most = STORED_QUERY_MAX - 1;

	memset(fields + begin, 'a', most - 2);
	strcpy(fields + begin + most - 2, "}");
	assert_int_equal(parse(fields, NULL), 0);
	assert_int_equal(strlen(q.selector), most);
	assert_int_equal(parse(fields, "b"), -EINVAL); /* no room for that */
	strcpy(fields + begin + most - 2, "a}");
	assert_int_equal(parse(fields, NULL), -E2BIG);
}
