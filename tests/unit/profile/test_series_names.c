// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_series_names.c - how many series a user makes at a receiver as time goes by, by a clock of the test's
 * own.
 */
#include "profile/series_names.h"
#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"

static struct series_names *names;

static int setup(void **state)
{
	(void)state;
	return series_names_new(&names);
}

static int teardown(void **state)
{
	(void)state;
	series_names_free(names);
	return 0;
}

static __u32 take_many(__u64 user, __u64 first, __u32 count)
{
	__u32 taken = 0;

	for (__u32 i = 0; i < count; i++)
		taken += series_names_take(names, user, first + i);
	return taken;
}

/* 27 new ones in 5 s are far from what an interval may have. */
TEST(new_ones_are_taken_at_a_rate)
{
	__u32 taken = 0;

	for (int i = 0; i < 600; i++) {
		series_names_begin(names, 1000 + 5 * i);
		taken += take_many(7, 27 * i, 27);
	}
	assert_int_equal(taken, SERIES_AT_ONCE + 599 * 5 / SERIES_NEXT_SECONDS);
	assert_int_equal(take_many(8, 0, 27), 27);
}

/* Beside a flood of the same user, too. */
TEST(those_that_stay_are_taken)
{
	for (int i = 0; i < 600; i++) {
		series_names_begin(names, 5 * i);
		assert_int_equal(take_many(7, 0, SERIES_AT_ONCE), SERIES_AT_ONCE);
		assert_int_equal(take_many(7, 1000 * (i + 1), 300), i && 5 * i % SERIES_NEXT_SECONDS == 0);
	}
}

TEST(what_was_away_for_long_is_new)
{
	series_names_begin(names, 0);
	assert_int_equal(take_many(7, 0, SERIES_AT_ONCE), SERIES_AT_ONCE);
	series_names_begin(names, SERIES_KEPT_SECONDS);
	assert_int_equal(take_many(7, 0, SERIES_AT_ONCE), SERIES_AT_ONCE);
	assert_int_equal(take_many(7, 500, 100), SERIES_KEPT_SECONDS / SERIES_NEXT_SECONDS);
	series_names_begin(names, 2 * SERIES_KEPT_SECONDS + 1);
	assert_int_equal(take_many(7, 0, SERIES_AT_ONCE), SERIES_KEPT_SECONDS / SERIES_NEXT_SECONDS);
}

/* One that is away for very long may have as many at once as in the beginning, and no more. */
TEST(nobody_saves_up)
{
	series_names_begin(names, 0);
	assert_int_equal(take_many(7, 0, 1), 1);
	series_names_begin(names, 1e6);
	assert_int_equal(take_many(7, 1000, 1000), SERIES_AT_ONCE);
}

/* Many users together do not take the names of those who have few. */
TEST(there_is_room_for_others)
{
	series_names_begin(names, 0);
	assert_int_equal(take_many(1, 0, 2), 2);
	for (__u64 user = 2; user < 150; user++)
		assert_int_equal(take_many(user, 0, SERIES_AT_ONCE), SERIES_AT_ONCE);
	assert_int_equal(take_many(1, 2, 10), 10);
	assert_int_equal(take_many(1, 0, SERIES_AT_ONCE + 5), SERIES_AT_ONCE);
	series_names_begin(names, SERIES_KEPT_SECONDS + 1);
	assert_int_equal(take_many(500, 0, SERIES_AT_ONCE), SERIES_AT_ONCE);
}

TEST(memory_runs_short)
{
	__u32 taken = 0;

	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	series_names_begin(names, 0);
	for (int n = 0; n < 8; n++) {
		allocations_left = n;
		taken += take_many(7, 100 * n, 3);
		allocations_left = -1;
	}
	assert_true(taken > 0 && taken < 24);
	assert_int_equal(take_many(7, 5000, 10), 10);
}

TEST(those_left_are_counted)
{
	series_names_leave(names, 3);
	series_names_leave(names, 4);
	assert_int_equal(series_names_left(names), 7);
}

AROUND_EACH(setup, teardown);
