/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flat_words.h - objects in the memory of flat_memory.h, one behind the other, as words of eight bytes. A
 * test begins anew with flat_begin().
 */
#ifndef PYPERF_TESTS_FLAT_WORDS_H
#define PYPERF_TESTS_FLAT_WORDS_H

#include "tests/forge/flat_memory.h"
#include "tests/forge/test.h"

static __u32 used; /* words */

static inline void flat_begin(void)
{
	memset(memory, 0, sizeof(memory));
	used = 8;
}

static __u64 *at(__u64 address)
{
	return &memory[(address - BASE) / sizeof(__u64)];
}

static __u64 make(__u32 words)
{
	const __u64 address = BASE + sizeof(__u64) * used;

	assert_true(used + words <= WORDS);
	used += words;
	return address;
}

#endif
