/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * generation.h - when the call tree is nearly full, or names and ended processes take too much memory, the
 * ticks go on in the other bank of the tables. When the names of what was counted in the first have arrived,
 * every open window takes it, and the bank and all that names its entries is cleared. No tick and no count is
 * lost.
 */
#ifndef PYPERF_TREE_GENERATION_H
#define PYPERF_TREE_GENERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/complaint.h"

struct codes;
struct discover;
struct kernel;
struct registry;
struct windows;

/* All but the last two are borrowed. Zero them. */
struct generation {
	struct kernel *kernel;
	struct codes *codes;
	struct registry *registry;
	struct discover *discover;
	struct windows *windows;
	size_t codes_bytes_max; /* of the code store: it is emptied before it is full */
	size_t processes_before; /* in the registry when a bank was cleared last */
	__u64 count;		 /* of banks cleared so far */
	double looked, fullness; /* the last look at how full it is: when, and what it was; 0 = none yet */
	double next_look;
	double wait_end; /* one is to be cleared: wait at most this long for names, CLOCK_MONOTONIC; 0 = none is */
	struct complaint clearing; /* as long as it stands, the wait is for the next attempt */
};

/*
 * In each turn of the event loop: true if a new generation has begun, and then the ring buffer is to be read
 * next.
 */
bool generation_begin(struct generation *g);
/* Milliseconds until one of the two has something to do in any case; -1 = not begun. */
int generation_timeout_ms(const struct generation *g);
/*
 * Clears what the last one has left, if it did; names_missing: unless time is up, names are on their way.
 * Logs.
 */
void generation_clear(struct generation *g, bool names_missing);

#endif
