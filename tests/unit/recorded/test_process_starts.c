// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_process_starts.c - what comments of profiles say of when processes began; and what they may say
 * besides, since anybody may have written them.
 */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "recorded/process_starts.h"
#include "tests/forge/test.h"

#define HEAD "processes began, in ms since 1970:"
#define MS   1000000LL

static struct recorded_starts s;

static int setup(void **state)
{
	(void)state;
	memset(&s, 0, sizeof(s));
	return 0;
}

TEST(of_several_profiles)
{
	assert_true(recorded_starts_comment(&s, HEAD " 12 3000, 34 5000"));
	assert_int_equal(recorded_starts_get(&s, 12), 3000 * MS);
	assert_int_equal(recorded_starts_get(&s, 34), 5000 * MS);
	assert_int_equal(recorded_starts_get(&s, 56), 0);
	assert_true(recorded_starts_comment(&s, HEAD " 34 4000, 56 6000, others 7000"));
	assert_true(recorded_starts_comment(&s, HEAD " 34 4500, others 8000"));
	assert_int_equal(s.count, 3);
	assert_int_equal(recorded_starts_get(&s, 34), 4000 * MS);
	assert_int_equal(recorded_starts_get(&s, 56), 6000 * MS);
	assert_int_equal(recorded_starts_get(&s, 78), 7000 * MS);
}

TEST(nothing_is_believed)
{
	static const char *const others[] = { "", "processes", "9 of 10 ticks came" };
	static const char *const bad[] = {
		"", " ", " 1", " 1 ", " 1 -5", " -1 5", " 1 0", " x 5", " 4294967296 5", " 1 9223372036855",
		" 1 99999999999999999999999", " others", " others x", ",", "1 5", "  1 5", " others1 5",
	};
	char text[128];

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(recorded_starts_comment(&s, others[i]));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(text, sizeof(text), HEAD "%s", bad[i]);
		assert_true(recorded_starts_comment(&s, text));
		assert_int_equal(s.count, 0);
		assert_int_equal(s.others_ns, 0);
	}
	assert_true(recorded_starts_comment(&s, HEAD " 1 5,, 2 6"));
	assert_int_equal(s.count, 1);
}

TEST(more_than_have_room)
{
	char text[128];

	for (int i = 1; i <= RECORDED_STARTS_MAX + 2; i++) {
		snprintf(text, sizeof(text), HEAD " %d %d", i, 100000 - i);
		recorded_starts_comment(&s, text);
	}
	assert_int_equal(s.count, RECORDED_STARTS_MAX);
	assert_int_equal(recorded_starts_get(&s, RECORDED_STARTS_MAX + 1),
			 (100000 - RECORDED_STARTS_MAX - 2) * MS);
}

AROUND_EACH(setup, NULL);
