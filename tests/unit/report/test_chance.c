// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_chance.c - the bounds of a share: numbers of tables, and what bounds must be.
 */
#include <string.h>

#include "report/chance.h"
#include "tests/forge/test.h"

static int is_near(double a, double b)
{
	return a - b < 5e-4 && b - a < 5e-4;
}

/* As statsmodels' proportion_confint(method="wilson") says. */
TEST(as_in_tables)
{
	struct chance_bounds b = chance_share(0.1, 100);

	assert_true(is_near(b.low, 0.0552) && is_near(b.high, 0.1744));
	b = chance_share(0.5, 10);
	assert_true(is_near(b.low, 0.2366) && is_near(b.high, 0.7634));
	b = chance_share(0, 20);
	assert_true(is_near(b.low, 0) && is_near(b.high, 0.1611));
	b = chance_share(1, 20);
	assert_true(is_near(b.low, 0.8389) && is_near(b.high, 1));
}

TEST(they_hold_the_share)
{
	for (double n = 1; n < 1e9; n *= 3)
		for (double share = 0; share <= 1; share += 0.125) {
			const struct chance_bounds b = chance_share(share, n);

			assert_true(b.low >= 0 && b.low <= share + 1e-12 && share <= b.high + 1e-12 &&
				    b.high <= 1);
		}
}

TEST(of_a_difference)
{
	assert_true(is_near(chance_deviation(9, 1, 16, 1), 5));
	assert_true(is_near(chance_deviation(100, 2, 0, 7), 20));
	assert_true(is_near(chance_deviation(0, 1, 0, 1), 0));
	assert_true(is_near(chance_deviation(1e6, 1e6, 0, 1) / 1e9, 1));
}
