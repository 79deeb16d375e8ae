/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chance.h - what samples can tell and what they cannot: they are counts, and the same program, sampled once
 * more, would have others. The bounds are those that hold 95 times of 100.
 */
#ifndef PYPERF_REPORT_CHANCE_H
#define PYPERF_REPORT_CHANCE_H

#include <stdbool.h>
#include <stddef.h>

#define CHANCE_Z      1.959964 /* of the normal distribution, 2.5 % at each end */
#define CHANCE_Z_RARE 3.290527 /* ... 0.05 % at each end: for who looks at many rows */

struct chance_bounds {
	double low, high;
};

/* Of a share (0 to 1) that was found among so many samples: Wilson's. n > 0. */
struct chance_bounds chance_share(double share, double n);

/*
 * The standard deviation of a difference of two counts of samples, each of which stands for so much: counts
 * vary as Poisson's do.
 */
double chance_deviation(double count, double one, double other_count, double other_one);

/*
 * Whether chance does as much in less than one of a thousand: a difference of two means, whose variance was
 * found from so few values that there are only so many more of them than means (Student's t). freedom >= 4.
 */
bool chance_is_rare(double difference, double variance, size_t freedom);

#endif
