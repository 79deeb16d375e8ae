// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_intervals.c - intervals are taken and given back many more times than there are numbers or addresses;
 * none overlaps another, each is found, and what is unused goes after two turns, not before.
 */
#include <errno.h>
#include <stdlib.h>

#include "names/intervals.h"
#include "tests/forge/test.h"

#define NUMBERS 64
#define LOW	1000
#define HIGH	9000

static struct intervals s;

static int setup(void **state)
{
	(void)state;
	return intervals_open(&s, NUMBERS, LOW, HIGH);
}

static int teardown(void **state)
{
	(void)state;
	intervals_close(&s);
	return 0;
}

static __u32 take(__u64 size)
{
	__u32 number = 77777;

	assert_int_equal(intervals_take(&s, size, &number), 0);
	assert_int_equal(s.list[number].size, size);
	return number;
}

/* All that the structure says, by looking at every pair and both ends of each. */
static void check_all(void)
{
	__u64 taken = 0;
	__u32 count = 0;

	for (__u32 i = 0; i < NUMBERS; i++) {
		const struct address_interval *a = &s.list[i];

		if (!a->size)
			continue;
		count++;
		taken += a->size;
		assert_true(a->begin >= LOW && a->begin + a->size <= HIGH);
		assert_int_equal(intervals_at(&s, a->begin), i);
		assert_int_equal(intervals_at(&s, a->begin + a->size - 1), i);
		for (__u32 j = 0; j < i; j++)
			assert_true(!s.list[j].size || s.list[j].begin + s.list[j].size <= a->begin ||
				    a->begin + a->size <= s.list[j].begin);
	}
	assert_int_equal(s.count, count);
	assert_int_equal(s.taken, taken);
}

TEST(any_order)
{
	__u32 refused = 0;

	srand(1);
	for (int i = 0; i < 20000; i++) {
		__u32 number = rand() % NUMBERS;

		if (rand() % 2) {
			refused += intervals_take(&s, 1 + rand() % 300, &number) != 0;
		} else if (s.list[number].size) {
			intervals_give_back(&s, number);
			assert_int_equal(s.list[number].size, 0);
		}
		if (!(i % 16))
			check_all();
	}
	assert_true(refused); /* both limits were reached */
}

TEST(ends_of_the_line)
{
	__u32 number = 77777, all;

	assert_int_equal(intervals_at(&s, LOW), INTERVALS_NONE);
	assert_int_equal(intervals_take(&s, HIGH - LOW + 1, &number), -ENOSPC);
	assert_int_equal(number, 77777);
	all = take(HIGH - LOW);
	assert_int_equal(intervals_take(&s, 1, &number), -ENOSPC);
	assert_int_equal(intervals_at(&s, LOW - 1), INTERVALS_NONE);
	assert_int_equal(intervals_at(&s, LOW), all);
	assert_int_equal(intervals_at(&s, HIGH - 1), all);
	assert_int_equal(intervals_at(&s, HIGH), INTERVALS_NONE);
	intervals_give_back(&s, all);
	assert_int_equal(intervals_at(&s, LOW), INTERVALS_NONE);
	for (int i = 0; i < NUMBERS; i++)
		take(1);
	assert_int_equal(intervals_take(&s, 1, &number), -ENOSPC);
}

/* The line is gone along before something of it is used again. */
TEST(what_was_given_back_comes_last)
{
	const __u32 first = take(1000);
	const __u64 begin = s.list[first].begin;

	intervals_give_back(&s, first);
	for (int i = 0; i < 7; i++)
		assert_true(s.list[take(1000)].begin > begin);
	assert_int_equal(s.list[take(1000)].begin, begin);
}

static void look_with(__u32 turn, __u32 seen)
{
	intervals_begin_look(&s);
	if (seen != INTERVALS_NONE)
		intervals_see(&s, seen);
	intervals_end_look(&s, turn);
}

TEST(two_turns_unused)
{
	const __u32 a = take(10), b = take(20);

	look_with(1, a);
	assert_false(intervals_may_go(&s, b, 2));
	assert_true(intervals_unused(&s) > 0);
	look_with(2, a);
	assert_true(intervals_may_go(&s, b, 3));
	assert_false(intervals_may_go(&s, a, 3));
	/* Somebody has it again, and does not for the next look. */
	intervals_see(&s, b);
	assert_false(intervals_may_go(&s, b, 3));
	look_with(3, b);
	look_with(4, INTERVALS_NONE);
	assert_false(intervals_may_go(&s, b, 5));
	look_with(5, INTERVALS_NONE);
	assert_true(intervals_may_go(&s, b, 6));
	assert_true(intervals_may_go(&s, a, 6));
	intervals_give_back(&s, b);
	assert_false(intervals_may_go(&s, b, 9));	 /* nobody has that number */
	assert_false(intervals_may_go(&s, take(30), 9)); /* of somebody else */
}

TEST(fullness)
{
	assert_true(intervals_fullness(&s) == 0);
	take((HIGH - LOW) / 2);
	assert_true(intervals_fullness(&s) == 0.5);
	for (int i = 1; i < NUMBERS; i++)
		take(1);
	assert_true(intervals_fullness(&s) == 1);
	look_with(1, INTERVALS_NONE);
	assert_true(intervals_unused(&s) == 1);
}

TEST(what_somebody_has_is_not_unused)
{
	const __u32 used = take((HIGH - LOW) / 2);

	take((HIGH - LOW) / 4);
	look_with(1, used);
	assert_true(intervals_unused(&s) == 0.25);
}

AROUND_EACH(setup, teardown);
