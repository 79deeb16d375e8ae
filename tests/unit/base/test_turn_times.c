// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_turn_times.c - how long turns of the event loop took: all are counted, the longest is exact, and a
 * share of them is known to a quarter octave.
 */
#include <string.h>

#include "base/clock.h"
#include "base/turn_times.h"
#include "tests/forge/test.h"

TEST(nothing_yet)
{
	struct turn_times t = {};

	assert_int_equal(turn_times_quantile(&t, 0.5), 0);
	assert_int_equal(turn_times_quantile(&t, 0.99), 0);
}

TEST(every_turn_counts)
{
	struct turn_times t = {};
	__u64 all = 0;

	for (__u64 ns = 1; ns < 1000 * NS_PER_SECOND; ns *= 3)
		turn_times_add(&t, ns, ns / 2, ns / 3);
	turn_times_add(&t, 0, 0, 0);
	for (int i = 0; i < TIME_BUCKETS; i++)
		all += t.turns[i];
	assert_int_equal(all, t.count);
	assert_int_equal(t.count, 27);
	assert_int_equal(t.max_ns, 847288609443);    /* 3^25 */
	assert_true(t.turns[TIME_BUCKETS - 1] == 5); /* above 8.3 s */
	assert_int_equal(t.cpu_max_ns, t.max_ns / 2);
	assert_int_equal(t.own_max_ns, t.max_ns - t.max_ns / 3);
	turn_times_add(&t, 5, 5, 1000); /* two clocks */
	assert_int_equal(t.own_max_ns, t.max_ns - t.max_ns / 3);
	t.sum_ns -= 5;
	assert_int_equal(t.sum_ns, (3 * t.max_ns - 1) / 2);
}

/* From 4 us to 8 s: what is said is at most a quarter octave below what it was. */
TEST(shares_are_to_a_quarter_octave)
{
	for (__u64 ns = 4000; ns < 8 * NS_PER_SECOND; ns += ns / 7) {
		struct turn_times t = {};
		__u64 said;

		for (int i = 0; i < 98; i++)
			turn_times_add(&t, 500, 500, 0);
		turn_times_add(&t, ns, ns / 2, ns / 3);
		turn_times_add(&t, ns, ns / 2, ns / 3);
		said = turn_times_quantile(&t, 0.985);
		assert_true(said <= ns && said >= ns * 4 / 5 - 1000);
		assert_true(turn_times_quantile(&t, 0.5) <= 1000);
	}
}
