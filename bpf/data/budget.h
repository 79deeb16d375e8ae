/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * budget.h - what a sample may cost, whatever a target's memory holds: a tick keeps interrupts out. And what
 * all samples of a CPU may.
 *
 * Bytes: most of an honest stack lies side by side, so that blocks of BLOCK_BYTES for each frame of --max-
 * depth are enough. After them frames are read one by one. Time: memory can be slow, as a device's is, or
 * pages that no cache holds. The clock starts when it is first asked, which no sample does that ends within
 * LATE_STEPS. It is one clock for all that belongs to a sample: native frames come first and may take half of
 * the time, then Python frames, tasks, and the holder of the GIL.
 */
#ifndef PYPERF_BPF_DATA_BUDGET_H
#define PYPERF_BPF_DATA_BUDGET_H

#include "bpf/abi/types.h"

#define BLOCK_SIZE	16384 /* bytes of a block, at most: a whole chunk, once a stack is known to be deep */
#define FIRST_BLOCK	1024  /* ... of the first ones, which use the same lines of the cache, */
#define FIRST_BLOCKS	2     /* ... so many */
#define BLOCK_BYTES	512   /* in blocks, for each frame of --max-depth, ... */
#define BLOCK_BYTES_MIN (128 << 10) /* ... and besides */

#define LATE_STEPS 16 /* of a loop, from one look at the clock to the next; a power of two */
#define LATE_DEPTH 16 /* frames of Python, at least, that are kept of a stack that took too long */

/* What samples have cost a CPU, less what --budget allows since (sample/cost.h). */
struct cost {
	__u64 owed; /* ns */
	__u64 at;   /* bpf_ktime_get_ns(), up to when that is so */
};

/* A block of ticks, of which one is looked at and stands for all (sample/cost.h). All 0 = none is begun. */
struct turns {
	__u16 weight; /* ticks in the block; a power of two */
	__u16 left;   /* ... of them those to come */
	__u16 pick;   /* the one that is looked at: `left` just before it */
};

/*
 * What the events of one source cost, waits of a thread or changes of a process's memory: moving averages;
 * 0 = not known yet.
 */
struct pace {
	__u32 cycle; /* from one to the next, in 128 ns */
	__u32 cost;  /* of one that is looked at, in 1/8 ns */
};

#define COST_SHIFT  20 /* rates.budget is in parts of a CPU, of which one has 1 << COST_SHIFT */
#define COST_LEVELS 15 /* of thinning: at each one a source may cost half of what it may at the one before */

/*
 * Three times of what 1,000 frames that are objects take (up to 3.10), each in a place of its own, where
 * other programs keep the CPUs and their caches busy.
 */
#define PATIENCE_FRAME_NS 1200 /* for each frame of --max-depth, ... */
#define PATIENCE_MIN_NS	  100000 /* ... and so much at least */

#endif
