/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * block.h - when the next look is due, and for how many it stands. Time is cut into blocks of periods. Each
 * has one look, at a random moment, since programs that sleep by timers would otherwise be met at one moment
 * of theirs. A look can be late, as this process waits for a CPU like others. It is made then, and stands for
 * the periods that have passed meanwhile, too: if they were left out, what a program does while the machine
 * is busy would have too few looks beside what it does at other times.
 */
#ifndef PYPERF_HOSTED_BLOCK_H
#define PYPERF_HOSTED_BLOCK_H

#include "hosted/rest.h"

#define BLOCK_PASSED_MAX 64 /* periods that a late look stands for: who was stopped for long has not looked */

struct block {
	__u64 begin, at;   /* of the look; clock_ns() */
	unsigned int span; /* periods */
};

/* The look is made now. Returns for how many it stands. */
static inline unsigned int block_end(struct block *b, __u64 period, __u64 now)
{
	const __u64 end = b->begin + period * b->span;
	const __u64 passed = now > end ? (now - end) / period : 0;

	b->begin = end + passed * period;
	return b->span + (passed < BLOCK_PASSED_MAX ? passed : BLOCK_PASSED_MAX);
}

/* The next one has 2^level periods. Its look is in what is left of it. */
static inline void block_begin(struct block *b, __u64 period, unsigned int level, __u64 now, __u64 *random)
{
	__u64 from, end;

	b->span = 1U << level;
	end = b->begin + period * b->span;
	from = now > b->begin && now < end ? now : b->begin;
	b->at = from + rest_random(random) % (end - from);
}

#endif
