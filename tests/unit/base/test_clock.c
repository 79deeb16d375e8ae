// SPDX-License-Identifier: GPL-2.0-only

#include "base/clock.h"
#include "tests/forge/test.h"

/* The units agree with each other, and with a reading of the clock by hand before and after. */
TEST(one_clock_in_three_units)
{
	struct timespec before, after;
	__u64 ns, ms;
	double seconds;

	clock_gettime(CLOCK_MONOTONIC, &before);
	ns = clock_ns();
	ms = clock_ms();
	seconds = clock_seconds();
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_in_range(ns, before.tv_sec * NS_PER_SECOND + before.tv_nsec,
			after.tv_sec * NS_PER_SECOND + after.tv_nsec);
	assert_in_range(ms, ns / NS_PER_MS, (after.tv_sec * NS_PER_SECOND + after.tv_nsec) / NS_PER_MS);
	assert_true(seconds >= ns / 1e9);
	assert_true(seconds <= after.tv_sec + after.tv_nsec / 1e9 + 1e-6);
}

TEST(goes_on_while_a_thread_sleeps)
{
	static const struct timespec pause = { .tv_nsec = 5 * NS_PER_MS };
	__u64 begin = clock_ns();

	nanosleep(&pause, NULL);
	assert_true(clock_ns() - begin >= 5 * NS_PER_MS);
}

TEST(dates_are_those_of_time)
{
	time_t before = time(NULL), shown = clock_unix_ns() / NS_PER_SECOND;

	assert_in_range(shown, before, before + 60);
}

/* A date that is asked for again is the same moment, although no two readings of the clocks are. */
TEST(a_date_is_one_moment)
{
	const __u64 ahead = clock_unix_ahead_ns();

	for (int i = 0; i < 1000; i++)
		assert_int_equal(clock_unix_ahead_ns(), ahead);
	assert_in_range(clock_ns() + ahead, clock_unix_ns() - NS_PER_SECOND, clock_unix_ns() + NS_PER_SECOND);
}
