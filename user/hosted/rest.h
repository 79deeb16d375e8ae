/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rest.h - not every look is made: at who does nothing for long, and when looks cost too much, it is one of a
 * block of them, which stands for all of the block. How long the block is goes by the past, and which one is
 * chance: so it knows nothing of what is seen, and what stands for others is no different from them. A block
 * is never cut short.
 */
#ifndef PYPERF_HOSTED_REST_H
#define PYPERF_HOSTED_REST_H

#include <linux/types.h>

#define REST_IDLE     16 /* looks at which there was nothing, after which the block has two; ... */
#define REST_IDLE_MAX 3	 /* ... doubled so often */

struct rest {
	__u16 idle;		  /* looks since there was something */
	__u16 left, pick, weight; /* of the block */
};

/* xorshift64 */
static inline __u64 rest_random(__u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* For how many looks the next one stands, in blocks of 2^shift; 0 = it is not made. */
static inline unsigned int rest_next(struct rest *r, unsigned int shift, __u64 *random)
{
	if (!r->left) {
		r->weight = r->left = 1U << shift;
		r->pick = 1 + (shift ? rest_random(random) & (r->weight - 1) : 0);
	}
	return r->left-- == r->pick ? r->weight : 0;
}

/* The same, by how long there was nothing. */
static inline unsigned int rest_idle_next(struct rest *r, __u64 *random)
{
	unsigned int shift = 0;

	while (shift < REST_IDLE_MAX && r->idle >= REST_IDLE << shift)
		shift++;
	return rest_next(r, shift, random);
}

/* What that look has met. */
static inline void rest_met(struct rest *r, int something)
{
	r->idle = something ? 0 : r->idle + (r->idle < REST_IDLE << REST_IDLE_MAX);
}

#endif
