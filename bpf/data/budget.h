/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * budget.h - what a sample may cost, whatever a target's memory holds: a tick keeps interrupts out.
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
#define FIRST_BLOCK	4096  /* ... of the first one */
#define BLOCK_BYTES	512   /* in blocks, for each frame of --max-depth, ... */
#define BLOCK_BYTES_MIN (128 << 10) /* ... and besides */

#define LATE_STEPS 16 /* of a loop, from one look at the clock to the next; a power of two */
#define LATE_DEPTH 16 /* frames kept of a stack that took too long */

#define PATIENCE_FRAME_NS 400 /* for each frame of --max-depth, ... */
#define PATIENCE_MIN_NS	  100000 /* ... and so much at least */

#endif
