// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_compared_markdown.c - a name can have anything in it, and in a comment that becomes of it it is a
 * name. That the table says what JSON says is tests/e2e/report/test_diff.py.
 */
#include "tests/unit/report/comparing.h"

static const char *table(const char *base, const char *now)
{
	const struct report_query q = { .top = 10, .flat = true };

	add(true, base, 100);
	add(false, now, 300);
	assert_int_equal(compared_make(&r, &q, &(struct compared_scaling){ 0 }, SECOND,
				       SECOND, &compared, error, sizeof(error)),
			 0);
	assert_int_equal(compared_markdown(&compared, &out), 0);
	assert_int_equal(buf_add(&out, "", 1), 0);
	return out.data;
}

TEST(what_grew)
{
	const char *text = table("f@/srv/app.py:2", "f@/srv/app.py:2");

	assert_non_null(strstr(text, "grew by 200.0 %, more than chance**: base 100"));
	assert_non_null(strstr(text, " | +200.00 | `f` | `/srv/app.py:1` |\n"));
}

/* A span of code ends at a grave accent, and a cell at a bar, in code too; a backslash could hide one. */
TEST(a_name_ends_neither_the_code_nor_the_cell)
{
	const char *text = table("a|b`c\\@/srv/a|b.py:2", "a|b`c\\@/srv/a|b.py:2");

	assert_non_null(strstr(text, "| `a\302\246b'c"));
	assert_non_null(strstr(text, "`/srv/a\302\246b.py:1` |\n"));
	assert_null(strstr(text, "a|b"));
	assert_null(strchr(text, '\\'));
}

TEST(markup_in_a_name_is_none)
{
	const char *text = table("f@/srv/app.py:2", "<img src=x>**\n# @all@/srv/app.py:2");

	assert_non_null(strstr(text, "| `<img src=x>**"));
	assert_null(strstr(text, "\n#"));
}

/* Of a store: how many nodes each side rests on, and its books, of which the pushers wrote a part. */
TEST(books_of_a_store)
{
	const char *text;

	r.nodes[true] = 1;
	r.nodes[false] = 1200;
	r.pushed[true] = (struct pushed_books){ .is_store = true };
	r.pushed[false] = (struct pushed_books){
		.is_store = true, .amount = { [CARRIED_PROFILES] = 3 }, .run_count = 1,
		.runs = { { .text = "<b>`|x", .profiles = 3 } },
	};
	text = table("f@/srv/app.py:2", "f@/srv/app.py:2");
	assert_non_null(strstr(text, "(100 samples) of 1 node in 1.0 s, new 300 (300 samples) "
				     "of 1,200 nodes in 1.0 s"));
	assert_non_null(strstr(text, "\n\n- base: `nothing says what was lost of this: it was pushed "
				     "without books`\n"));
	assert_non_null(strstr(text, "- new: `3 profiles were pushed of this, as <b>'\302\246x`\n"));
}
