// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_growths.c - how much each process grew in each profile, kept apart; and the ends of that.
 */
#include <limits.h>

#include "recorded/growths.h"
#include "tests/forge/test.h"

static struct recorded_growths g;

static int teardown(void **state)
{
	(void)state;
	recorded_growths_free(&g);
	return 0;
}

static const struct recorded_growth *row(size_t i)
{
	return (const struct recorded_growth *)g.rows.data + i;
}

TEST(by_profile_and_process)
{
	const struct recorded_stretch *stretches;

	assert_int_equal(recorded_growths_begin(&g, 100, 10), 0);
	assert_int_equal(recorded_growths_add(&g, 7, 5, 1), 0);
	assert_int_equal(recorded_growths_add(&g, 8, 1, 0), 0);
	assert_int_equal(recorded_growths_add(&g, 7, 5, 2), 0);
	assert_int_equal(recorded_growths_begin(&g, 110, -1), 0);
	assert_int_equal(recorded_growths_begin(&g, -1, 20), 0);
	assert_int_equal(recorded_growths_add(&g, 7, 50, 0), 0);
	assert_int_equal(recorded_growths_profiles(&g), 3);
	stretches = (const struct recorded_stretch *)g.profiles.data;
	assert_int_equal(stretches[0].start_ns, 100);
	assert_int_equal(stretches[1].duration_ns, 0);
	assert_int_equal(stretches[2].start_ns, 0);
	assert_int_equal(recorded_growths_rows(&g), 3);
	assert_int_equal(row(0)->pid, 7);
	assert_int_equal(row(0)->grown, 10);
	assert_int_equal(row(0)->shrunk, 3);
	assert_int_equal(row(1)->pid, 8);
	assert_int_equal(row(2)->profile, 2);
	assert_int_equal(row(2)->grown, 50);
}

TEST(there_is_an_end)
{
	assert_int_equal(recorded_growths_begin(&g, 1, 1), 0);
	assert_int_equal(recorded_growths_add(&g, 0, LLONG_MAX, 1), 0);
	for (int i = 0; i < RECORDED_GROWTHS_MAX + 10; i++)
		assert_int_equal(recorded_growths_add(&g, i, 1, 0), 0);
	assert_int_equal(recorded_growths_rows(&g), RECORDED_GROWTHS_MAX);
	assert_true(row(0)->grown == LLONG_MAX);
	for (int i = 0; i < RECORDED_GROWTHS_MAX + 10; i++)
		assert_int_equal(recorded_growths_begin(&g, i, 1), 0);
	assert_int_equal(recorded_growths_profiles(&g), RECORDED_GROWTHS_MAX);
}

AROUND_EACH(NULL, teardown);
