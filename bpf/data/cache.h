/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cache.h - the Python frames of a thread's last stack (python/cache.h).
 */
#ifndef PYPERF_BPF_DATA_CACHE_H
#define PYPERF_BPF_DATA_CACHE_H

#include "bpf/abi/types.h"

#define SHIM_FAR 254

#define CACHE_DEPTH 1024 /* frames remembered of a thread, from the root; a power of two */

/* Why nothing is remembered of a thread's last stack. */
enum cache_empty {
	CACHE_OTHER,	 /* it is the first one, of another thread state, epoch or tree, or was not whole */
	CACHE_UNSETTLED, /* a code object has not been there for long (python/settled.h) */
	CACHE_OLD,	 /* it was trusted for as long as it may be (stack/trust.h) */
	CACHE_NEW_CODE,	 /* a code object was replaced, or may have been */
	CACHE_EMPTY_REASONS,
};

/* A frame of a thread's last stack. */
struct cached {
	__u64 address;
	__u64 code; /* 0 = shim */
	__u64 instr;
	__u32 node;   /* the stack from the root to this frame leads here */
	__u16 python; /* Python frames from the root to this one */
	__u8 plain;   /* it lies on the data stack */
	__u8 above;   /* frames down to the newest shim, or the root if there is none; at most SHIM_FAR */
};

struct cache {
	__u64 tstate; /* the thread state it is of */
	__u64 epoch;  /* the code epoch in which its nodes were found */
	__u64 since;  /* jiffies when it was last empty */
	__u32 root;   /* the node that all its nodes are below */
	__u32 depth;  /* how many frames are remembered */
	__u32 hint;   /* index of the frame that cache_has() found last */
	__u32 uses;   /* samples since it was last empty */
	/* Without an epoch (stack/trust.h): */
	__u64 checked; /* jiffies when all code objects were last found to be what they had been */
	__u64 looked;  /* jiffies when one was, ... */
	__u32 next;    /* ... and which one is next */
	__u32 empty;   /* enum cache_empty: why nothing is remembered */
	struct cached frames[CACHE_DEPTH]; /* root first, so that an index stays when the leaf side changes */
};

#endif
