// SPDX-License-Identifier: GPL-2.0-only
#include "report/chance.h"

/* The square root, by Newton's way from above. There is no need for all of libm. */
static double root(double x)
{
	double r = x > 1 ? x : 1;

	if (x <= 0)
		return 0;
	for (int i = 0; i < 200 && r * r > x * (1 + 1e-14); i++)
		r = (r + x / r) / 2;
	return r;
}

double chance_deviation(double count, double one, double other_count, double other_one)
{
	return root(count * one * one + other_count * other_one * other_one);
}

/*
 * E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927: the shares of
 * which the one that was found is not further away than by chance. It is right for shares near 0, too.
 */
struct chance_bounds chance_share(double share, double n)
{
	const double z2 = CHANCE_Z * CHANCE_Z / n;
	const double middle = (share + z2 / 2) / (1 + z2);
	const double half = CHANCE_Z * root(share * (1 - share) / n + z2 / (4 * n)) / (1 + z2);

	return (struct chance_bounds){
		.low = middle > half ? middle - half : 0,
		.high = middle + half < 1 ? middle + half : 1,
	};
}
