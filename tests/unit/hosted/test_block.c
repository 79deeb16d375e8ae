// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_block.c - when looks are due, by a clock that the test gives: all time is stood for, by looks that are
 * late, too.
 */
#include "hosted/block.h"
#include "tests/forge/test.h"

#define PERIOD 10000ULL

static unsigned int take(struct block *b, __u64 now, unsigned int level, __u64 *random)
{
	const unsigned int weight = block_end(b, PERIOD, now);

	block_begin(b, PERIOD, level, now, random);
	return weight;
}

TEST(looks_in_time_stand_for_their_own_block)
{
	struct block b = { .begin = 500, .at = 500, .span = 1 };
	__u64 random = 7;
	unsigned int sum = 0, early = 0;

	for (unsigned int i = 0; i < 1000; i++) {
		const __u64 begin = 500 + PERIOD * i;

		assert_int_equal(b.begin, begin);
		assert_in_range(b.at, begin, begin + PERIOD - 1);
		early += b.at < begin + PERIOD / 2;
		sum += take(&b, b.at, 0, &random);
	}
	assert_int_equal(sum, 1000);
	assert_in_range(early, 420, 580);
}

TEST(a_late_look_stands_for_what_has_passed)
{
	struct block b = { .begin = 0, .at = 4000, .span = 1 };
	__u64 random = 7;

	assert_int_equal(take(&b, 9000, 0, &random), 1); /* late, but within its block */
	assert_int_equal(b.begin, PERIOD);
	assert_int_equal(take(&b, 5 * PERIOD + 2000, 0, &random), 4); /* 2 to 5: the 6th is the next one's */
	assert_int_equal(b.begin, 5 * PERIOD);
	assert_in_range(b.at, 5 * PERIOD + 2000, 6 * PERIOD - 1); /* not over already */
	assert_int_equal(take(&b, b.at, 2, &random), 1);
	assert_int_equal(b.begin, 6 * PERIOD);
	assert_in_range(b.at, 6 * PERIOD, 10 * PERIOD - 1);
	assert_int_equal(take(&b, 12 * PERIOD, 0, &random), 6);
	assert_int_equal(b.begin, 12 * PERIOD);
}

/* Whatever it was that made looks late, and however they were thinned. */
TEST(no_period_is_left_out)
{
	struct block b = { .begin = 0, .at = 0, .span = 1 };
	__u64 random = 99, now = 0;
	unsigned int sum = 0;

	for (unsigned int i = 0; i < 5000; i++) {
		now = now > b.at ? now : b.at;
		now += rest_random(&random) % (4 * PERIOD);
		sum += take(&b, now, rest_random(&random) % 4, &random);
		assert_int_equal(b.begin, PERIOD * sum);
	}
}

TEST(who_was_stopped_for_long_has_not_looked)
{
	struct block b = { .begin = 0, .at = 0, .span = 1 };
	__u64 random = 7;

	assert_int_equal(take(&b, 100000 * PERIOD + 1, 0, &random), 1 + BLOCK_PASSED_MAX);
	assert_int_equal(b.begin, 100000 * PERIOD);
}
