/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * number.h - numbers as a person reads them: digits in groups of three. printf's ' flag would depend on the
 * locale, and in the C locale does nothing. And as qsort() wants them compared.
 */
#ifndef PYPERF_BASE_NUMBER_H
#define PYPERF_BASE_NUMBER_H

#include <linux/types.h>

/* Returned by value, so that .text can be an argument of printf() on the spot. */
struct number {
	char text[32]; /* the longest is 18,446,744,073,709,551,615.99 */
};

struct number number_group(__u64 value);
/* With two decimals, rounded. What is negative, not a number or too large becomes the nearest that can be. */
struct number number_hundredths(double value);

/* Less than 0, 0 or more, as x is less than y, the same or more. */
static inline int number_order(__u64 x, __u64 y)
{
	return (x > y) - (x < y);
}

/* Decimals that a percentage of `whole` things deserves. */
static inline int number_decimals(__u64 whole)
{
	return whole < 1000 ? 1 : 2;
}

#endif
