// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_pauses.c - pauses stay within what is promised, and are spread over all of it: of a thousand machines
 * that began at one moment about a hundred send in each tenth of the interval.
 */
#include <string.h>

#include "export/push/pauses.h"
#include "tests/forge/test.h"

#define MACHINES 1000

TEST(a_fleet_is_spread_over_the_interval)
{
	int tenths[10] = { 0 };
	struct push_pauses p = { 0 };

	/* One key here and a key each there: either way the numbers are those of a hash. */
	for (int i = 0; i < MACHINES; i++) {
		double at;

		push_pauses_begin(&p);
		at = push_pauses_phase(&p, 15);
		assert_true(at >= 0 && at < 15);
		assert_true(push_pauses_phase(&p, 15) == at); /* all of a run have the same distance */
		assert_true(push_pauses_phase(&p, 3600) < PUSH_SPREAD_MAX);
		tenths[(int)(at / 1.5)]++;
	}
	for (int i = 0; i < 10; i++)
		assert_in_range(tenths[i], 50, 160);
}

TEST(they_never_come_back_together)
{
	int tenths[10] = { 0 };
	struct push_pauses p = { 0 };

	for (int i = 0; i < MACHINES; i++) {
		const double again = push_pauses_again(&p, 4), wanted = push_pauses_wanted(&p, 100);

		assert_true(again >= 6 && again <= 10 && wanted >= 100 && wanted <= 125);
		tenths[(int)((again - 6) / 0.4000001)]++;
	}
	for (int i = 0; i < 10; i++)
		assert_in_range(tenths[i], 50, 160);
	assert_true(push_pauses_again(&p, 1) >= 0.75 && push_pauses_again(&p, 1) <= 1.25);
}
