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

/* Both ends of Student's distribution beyond which one of a thousand lies, from 4 degrees of freedom on. */
static const double student[] = { 8.610, 6.869, 5.959, 5.408, 5.041, 4.781, 4.587, 4.437, 4.318, 4.221, 4.140,
				  4.073, 4.015, 3.965, 3.922, 3.883, 3.850 };
#define STUDENT_FROM 4
#define STUDENT_COUNT (sizeof(student) / sizeof(*student))

bool chance_is_rare(double difference, double variance, size_t freedom)
{
	const size_t at = freedom - STUDENT_FROM;
	const double t = student[at < STUDENT_COUNT ? at : STUDENT_COUNT - 1];

	return difference * difference > t * t * variance;
}
