/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * generation.h - begins a new generation of the call tree when the old one is nearly full, or when names and
 * ended processes take too much memory. The ticks go on in the other bank of the tables. When the names of
 * what was counted in the bank that they left have arrived, every open window takes those counts. Then that
 * bank and all names of its entries are cleared. No tick and no count is lost.
 */
#ifndef PYPERF_TREE_GENERATION_H
#define PYPERF_TREE_GENERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/complaint.h"

struct codes;
struct discover;
struct journal;
struct kernel;
struct loop;
struct registry;
struct windows;

/* Whoever makes it sets the pointers, which are borrowed, and codes_bytes_max. The rest begins as 0. */
struct generation {
	struct kernel *kernel; /* NULL: sampling has not begun, and nothing becomes full */
	struct codes *codes;
	struct registry *registry;
	struct discover *discover;
	struct windows *windows;
	struct journal *journal; /* NULL: there is none */
	size_t codes_bytes_max;	 /* the limit of the code store, which is emptied before it is reached */
	size_t processes_before; /* processes in the registry when a bank was last cleared */
	__u64 count;		 /* how many banks have been cleared so far */
	double looked, fullness; /* when it was last looked how full it is, and the answer; 0 = never */
	double next_look;	 /* when it will be looked again; times are CLOCK_MONOTONIC, s */
	double wait_end; /* names are waited for until then, and then a bank is cleared; 0 = none is to be */
	bool absorbing;	 /* the bank has come to rest, and the windows take its counts, in parts */
	struct complaint clearing; /* as long as it stands, the wait is for the next attempt */
};

/*
 * Adds the row that begins new generations and clears the banks that they leave. It comes after those of the
 * kernel side's records and of the worker's answers, which have the names that are waited for. 0 or -errno of
 * loop_watch().
 */
int generation_watch(struct generation *g, struct loop *loop);

/*
 * Begins a new generation if it is time to. If it returns true one has begun, and the caller reads the ring
 * buffer next.
 */
bool generation_begin(struct generation *g);
/* Milliseconds until one of the other two has something to do in any case; -1 before the first look. */
int generation_timeout_ms(const struct generation *g);
/*
 * Clears the bank that the last generation has left, if there is one. If names_missing, names are still on
 * their way, and it waits for them for as long as wait_end allows. Logs.
 */
void generation_clear(struct generation *g, bool names_missing);

#endif
