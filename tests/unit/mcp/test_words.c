// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_words.c - words of a command line, and the text that a shell reads as them.
 */
#include <errno.h>
#include <string.h>

#include "mcp/words.h"
#include "tests/forge/test.h"

TEST(a_shell_reads_the_same_words)
{
	static const char *const odd[] = { "plain", "", "two words", "it's", "$(id)", "`id`", "a\\b\n", "*" };
	_cleanup_(words_free) struct words w = { 0 };
	_cleanup_buf_ struct buf text = { 0 };
	char command[512], got[512] = "";
	FILE *shell;

	assert_int_equal(words_add(&w, "printf"), 0);
	assert_int_equal(words_add(&w, "<%%s>"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++)
		assert_int_equal(words_add(&w, "%s", odd[i]), 0);
	assert_int_equal(words_text(&w, &text), 0);
	snprintf(command, sizeof(command), "%.*s", (int)text.size, text.data);
	shell = popen(command, "r");
	assert_non_null(shell);
	assert_true(fread(got, 1, sizeof(got) - 1, shell) > 0);
	assert_int_equal(pclose(shell), 0);
	assert_string_equal(got, "<plain><><two words><it's><$(id)><`id`><a\\b\n><*>");
}

TEST(there_is_an_end)
{
	_cleanup_(words_free) struct words w = { 0 };

	for (int i = 0; i < WORDS_MAX; i++)
		assert_int_equal(words_add(&w, "%d", i), 0);
	assert_int_equal(words_add(&w, "one more"), -E2BIG);
	assert_int_equal(w.count, WORDS_MAX);
	assert_null(w.word[WORDS_MAX]);
}
