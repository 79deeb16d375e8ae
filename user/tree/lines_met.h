/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lines_met.h - counts how many different places in code a harvest has met. It is counted on the way: to sort
 * them all at its end would be one long step of the event loop.
 */
#ifndef PYPERF_TREE_LINES_MET_H
#define PYPERF_TREE_LINES_MET_H

#include <linux/types.h>

/* Begins as 0. */
struct lines_met {
	__u64 *keys; /* a hash table; 0 = free */
	__u32 capacity, count;
};

/* Adds a number other than 0 that stands for a place. 0, also when it was there; -ENOMEM. */
int lines_met_add(struct lines_met *p, __u64 key);
/* It is then empty. */
void lines_met_free(struct lines_met *p);

#endif
