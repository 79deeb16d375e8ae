// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_guide.c - each command of guide.def is read as the command line is: no row can go stale.
 */
#include <string.h>

#include "options/options.h"
#include "run/guide.h"
#include "tests/forge/test.h"

#define WORDS_MAX 32

TEST(every_command_is_read)
{
	for (size_t i = 0; i < guide_count; i++) {
		char line[256], error[256] = "", *words[WORDS_MAX + 1], *at = line;
		struct options o;
		int count = 0;

		snprintf(line, sizeof(line), "%s", guide_rows[i].command);
		while (count < WORDS_MAX && (words[count] = strtok_r(at, " ", &at)))
			count++;
		words[count] = NULL;
		assert_string_equal(words[0], "pyperf-bpf");
		if (options_parse(&o, count, words, error, sizeof(error)))
			fail_msg("guide.def: %s: %s", guide_rows[i].command, error);
		options_free(&o);
	}
}

TEST(no_question_is_there_twice)
{
	for (size_t i = 0; i < guide_count; i++)
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(guide_rows[i].question, guide_rows[j].question);
}
