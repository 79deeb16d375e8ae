// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_wrap.c - text in lines of a width: all words are there, in order, and no line is longer than it has to
 * be.
 */
#include <stdlib.h>
#include <string.h>

#include "base/wrap.h"
#include "tests/forge/test.h"

static char *wrap(const char *text, int column)
{
	char *out;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	assert_non_null(f);
	wrap_text(f, text, column);
	fclose(f);
	return out;
}

static void expect(const char *text, int column, const char *wanted)
{
	char *out = wrap(text, column);

	assert_string_equal(out, wanted);
	free(out);
}

TEST(short_text_is_one_line)
{
	expect("", 35, "\n");
	expect("one", 35, "one\n");
	expect("one  two", 35, "one two\n");
}

#define COLUMN 90

TEST(lines_go_on_below_their_beginning)
{
	char wanted[256];

	snprintf(wanted, sizeof(wanted), "aaaa bbbb\n%*scccc\n", COLUMN, "");
	expect("aaaa bbbb cccc", COLUMN, wanted);
	snprintf(wanted, sizeof(wanted), "aaaaaaaaaaaaaaaaaaaa\n%*sb\n", COLUMN, "");
	expect("aaaaaaaaaaaaaaaaaaaa b", COLUMN, wanted);
}

TEST(no_line_is_too_long)
{
	char text[2000], *out;
	unsigned int words = 0;

	for (size_t i = 0; i < sizeof(text) - 1; i++)
		text[i] = (i * i + i / 7) % 11 ? 'x' : ' ';
	text[sizeof(text) - 1] = '\0';
	for (const char *at = text; (at = strchr(at, 'x')); at += strcspn(at, " "))
		words++;
	out = wrap(text, 35);
	for (char *rest = out, *line; (line = strsep(&rest, "\n"));) {
		assert_true(strlen(line) + (line == out ? 35 : 0) <= WRAP_COLUMNS);
		for (const char *at = line; (at = strchr(at, 'x')); at += strcspn(at, " "))
			words--;
	}
	assert_int_equal(words, 0);
	free(out);
}
