// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_distance.c - how alike words are: each kind of mistake counts one, in both directions, and what is
 * beyond the limit is only said to be so.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/distance.h"
#include "tests/forge/test.h"

static const struct {
	const char *a, *b;
	size_t far;
} cases[] = {
	{ "dump", "dump", 0 },
	{ "dmup", "dump", 1 },
	{ "dupm", "dump", 1 },
	{ "dum", "dump", 1 },
	{ "ump", "dump", 1 },
	{ "dummp", "dump", 1 },
	{ "bump", "dump", 1 },
	{ "pmud", "dump", 3 },
	{ "", "abc", 3 },
	{ "", "", 0 },
	{ "kitten", "sitting", 3 },
	{ "abcd", "badc", 2 },
	{ "ca", "abc", 3 },
	{ "durtaion", "duration", 1 },
	{ "frequency", "format", 8 },
};

TEST(mistakes_count_one)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(distance(cases[i].a, cases[i].b, 10), cases[i].far);
		assert_int_equal(distance(cases[i].b, cases[i].a, 10), cases[i].far);
		for (size_t limit = 0; limit < 10; limit++)
			assert_int_equal(distance(cases[i].a, cases[i].b, limit),
					 cases[i].far <= limit ? cases[i].far : limit + 1);
	}
}

TEST(long_words_are_like_no_other)
{
	char word[DISTANCE_WORD_MAX + 2];

	memset(word, 'x', sizeof(word));
	word[DISTANCE_WORD_MAX] = '\0';
	assert_int_equal(distance(word, word, 0), 0);
	word[DISTANCE_WORD_MAX] = 'x';
	word[DISTANCE_WORD_MAX + 1] = '\0';
	assert_int_equal(distance(word, word, 5), 6);
}

TEST(short_words_allow_less)
{
	assert_int_equal(distance_begin("ab"), 1);
	assert_int_equal(distance_begin("abcd"), 2);
	assert_int_equal(distance_begin("frequency"), 4);
}

/* The first one of those that are equally near. */
TEST(nearest_of_several)
{
	static const struct {
		const char *name;
		bool is_nearer;
	} names[] = {
		{ "format", false },   { "frequenxx", true }, { "frequenzz", false },
		{ "frequencx", true }, { "frequency", true }, { "frequency", false },
	};
	size_t left = distance_begin("frequency");

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_int_equal(distance_is_nearer("frequency", names[i].name, &left), names[i].is_nearer);
	left = distance_begin("ab");
	assert_false(distance_is_nearer("ab", "ac", &left));
	assert_true(distance_is_nearer("ab", "ab", &left));
}
