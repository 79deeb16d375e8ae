/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * random.h - words that are anything, the same in each run.
 */
#ifndef PYPERF_TESTS_RANDOM_H
#define PYPERF_TESTS_RANDOM_H

#include <linux/types.h>

static __u64 random_state = 4711;

static __u64 random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

#endif
