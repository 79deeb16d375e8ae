// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_switch_clock.c - by how much CLOCK_MONOTONIC is ahead of the scheduler's clock
 * (bpf/base/clock_ahead.h), when now and then a long time passes between the two questions.
 */

#include "bpf/base/clock_ahead.h"
#include "tests/forge/test.h"

#define AHEAD	1000000
#define MOMENT	50 /* ns between the two questions, mostly */
#define MS	1000000ULL
#define FIRST	(5000 * MS)

TEST(the_first_comparison_counts)
{
	struct clock_pair c = {};

	assert_true(clock_is_old(&c, FIRST));
	clock_compare(&c, FIRST, FIRST + AHEAD + MOMENT);
	assert_int_equal(c.ahead, AHEAD + MOMENT);
	assert_false(clock_is_old(&c, FIRST + MS / 2));
	assert_true(clock_is_old(&c, FIRST + 2 * MS));
}

/* A virtual CPU that stands still between the two questions moves the answer by less than clocks drift. */
TEST(a_late_answer_hardly_counts)
{
	struct clock_pair c = {};
	const __u64 times[] = { 2 * MS, 20 * MS, 200 * MS };

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		c = (struct clock_pair){ .at = FIRST, .ahead = AHEAD };
		clock_compare(&c, FIRST + 2 * MS, FIRST + 2 * MS + AHEAD + times[i]);
		assert_in_range(c.ahead, AHEAD, AHEAD + 2 * MS / 1000);
		clock_compare(&c, FIRST + 4 * MS, FIRST + 4 * MS + AHEAD);
		assert_int_equal(c.ahead, AHEAD);
	}
}

/* Clocks that drift by 500 parts in a million stay within a microsecond, also after a second of silence. */
TEST(it_follows_a_drift)
{
	struct clock_pair c = {};
	const int drifts[] = { 500, -500, 0 };

	for (size_t i = 0; i < sizeof(drifts) / sizeof(*drifts); i++) {
		__u64 other = FIRST, ahead = AHEAD;

		c = (struct clock_pair){ .at = FIRST, .ahead = AHEAD };
		for (int round = 0; round < 1000; round++) {
			const __u64 step = round % 100 ? 2 * MS : 1000 * MS;

			other += step;
			ahead += (__s64)step * drifts[i] / 1000000;
			clock_compare(&c, other, other + ahead);
			assert_in_range(c.ahead, ahead - 1000, ahead + 1000);
		}
	}
}

TEST(jumps_are_believed)
{
	struct clock_pair c = { .at = FIRST, .ahead = AHEAD };

	clock_compare(&c, FIRST + 2 * MS, FIRST + 2 * MS + 3600000 * MS);
	assert_int_equal(c.ahead, 3600000 * MS);
	assert_true(clock_is_old(&c, MS)); /* the scheduler's clock began anew */
	clock_compare(&c, MS, FIRST);
	assert_int_equal(c.ahead, FIRST - MS);
}
