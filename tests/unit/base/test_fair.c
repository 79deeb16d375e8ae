// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fair.c - nobody has more than is left for the others, and whoever comes later finds room.
 */

#include "base/fair.h"
#include "tests/forge/test.h"

TEST(no_more_than_is_left)
{
	assert_true(fair_may(0, 50, 100));
	assert_false(fair_may(0, 51, 100));
	assert_true(fair_may(49, 1, 51));
	assert_false(fair_may(50, 1, 50));
	assert_false(fair_may(0, 101, 100));
	assert_false(fair_may(0, ~0ULL, 100));
	assert_true(fair_may(100, 0, 100));
}

/* Each of so many users takes all that it may, one after the other. */
TEST(the_last_finds_room)
{
	__u64 left = 16384;

	for (int user = 0; user < 6; user++) {
		__u64 has = 0;

		for (; fair_may(has, 1, left); left--)
			has++;
		assert_true(has == left || has == left - 1);
	}
	assert_int_equal(left, 256);
}
