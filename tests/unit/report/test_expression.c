// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_expression.c - what expressions match, which are none, and that those that somebody made to take all
 * memory or time are refused, or given up.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/expression.h"
#include "base/cleanup.h"
#include "tests/forge/test.h"

static char error[256];

static struct expression *made(const char *text)
{
	struct expression *e = NULL;

	strcpy(error, "untouched");
	assert_int_equal(expression_new(text, "focus", &e, error, sizeof(error)), 0);
	assert_string_equal(error, "untouched");
	return e;
}

static int match(const char *expression, const char *text)
{
	struct expression *e = made(expression);
	int is = expression_matches(e, text);

	assert_int_equal(expression_matches(e, text), is); /* the same again */
	expression_free(e);
	return is;
}

TEST(matches)
{
	static const struct {
		const char *expression, *text;
		int matches;
	} rows[] = {
		{ "^a(b|c)", "acd", 1 }, { "^a(b|c)", "ad", 0 }, { "a", "", 0 }, { "", "a", 1 },
		{ "", "", 1 },
		{ "b$", "ab", 1 }, { "b$", "ab\n", 0 }, { "a.b", "a\nb", 1 }, { "[[:digit:]]+x", "a12x", 1 },
		{ "^x{2,3}$", "xxx", 1 }, { "^x{2,3}$", "xxxx", 0 }, { "\\.py$", "/srv/app.py", 1 },
		{ "<module>", "<module>", 1 }, { "\xff.", "\xff\xfe", 1 }, { "a|b", "xb", 1 },
		{ "A", "a", 0 },
		{ "((a{1,100}){1,100})", "a", 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (match(rows[i].expression, rows[i].text) != rows[i].matches)
			fail_msg("'%s' and '%s'", rows[i].expression, rows[i].text);
	expression_free(NULL);
}

static void refuse(const char *text)
{
	struct expression *e = (void *)1;

	*error = '\0';
	if (expression_new(text, "ignore", &e, error, sizeof(error)) != -EINVAL)
		fail_msg("'%.40s' was accepted", text);
	assert_ptr_equal(e, (void *)1);
	assert_non_null(strstr(error, "--ignore wants a regular expression (as Perl has them), not '"));
}

TEST(refused)
{
	static const char *const texts[] = {
		"(", "*(", "a[", "a{3,2}", "\\", "((a{1,255}){1,255}){1,255}", "(a{0,65535}){0,65535}",
		"(*UTF)a", "(*UCP)a", "\\C", "(?<=a*)b",
	};
	static const char *const parts[] = { "(", "(?:", "(?=", "(?|", "a|", "[a-z]", "(?<=", "()" };
	char *text = calloc(100001, 1);

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		refuse(texts[i]);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const size_t n = strlen(parts[i]);

		for (size_t at = 0; at + n <= 100000; at += n)
			memcpy(text + at, parts[i], n + 1);
		refuse(text);
	}
	memset(text, '(', 20000);
	text[20000] = 'a';
	memset(text + 20001, ')', 20000);
	text[40001] = '\0';
	refuse(text);
	free(text);
}

TEST(refused_in_one_line_that_moves_no_terminal)
{
	struct expression *e = NULL;

	assert_int_equal(expression_new("(\n\x1b[2J\xff", "ignore", &e, error, sizeof(error)), -EINVAL);
	assert_null(e);
	assert_null(strpbrk(error, "\n\x1b"));
	assert_non_null(strstr(error, "--ignore wants a regular expression (as Perl has them), not '(??[2J"));
}

/* Also where the expression itself asks for more. */
TEST(too_much)
{
	static const char *const texts[] = { "(a|aa)+$", "(.*)*[xy]", ".*.*.*.*.*.*[xy]", "(?R)",
					     "(a+)+(a+)+$",
					     "(*LIMIT_MATCH=4000000000)(*LIMIT_HEAP=4000000000)(.*)*[xy]" };
	char name[4001];

	memset(name, 'a', 4000);
	strcpy(name + 3999, "b");
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (match(texts[i], name) != -E2BIG)
			fail_msg("'%s'", texts[i]);
	/* What people write does not come there, however the names are. */
	assert_int_equal(match("a.*c", name), 0);
	assert_int_equal(match("(a|b).*b$", name), 1);
}
