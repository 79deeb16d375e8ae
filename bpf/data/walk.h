/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * walk.h - a walk along Python frames (python/walk.h): what is wanted of it, where it stands, what it has
 * found.
 */
#ifndef PYPERF_BPF_DATA_WALK_H
#define PYPERF_BPF_DATA_WALK_H

#include "bpf/data/budget.h"

/* Where in walk.mem frames are read to. Side by side, so that a shallow stack touches one page. */
#define SINGLE_AT 0   /* a frame outside of the data stack */
#define BLOCK_AT  128 /* a block */

#define WALK_MEM   (2 * BLOCK_SIZE) /* a power of two, by which positions are masked */
#define WALK_SLACK 512		    /* a masked position plus an offset of one byte stays inside */

#define DEPTH_LIMIT 4096 /* frames stored, at most; a power of two, and more than --max-depth can be */

#define AWAIT_FIRST  DEPTH_LIMIT /* where frames are kept that await the task that runs, */
#define AWAIT_FRAMES 64	       /* ... so many of them */
#define AWAIT_NONE   (AWAIT_FIRST + AWAIT_FRAMES)

/* Why a walk has ended. */
enum walk_end {
	WALK_ON,    /* it has not */
	WALK_ROOT,  /* a frame without a caller */
	WALK_FAULT, /* a frame's memory is not resident */
	WALK_BAD,   /* an address that cannot be one */
	WALK_DEEP,  /* max_depth reached */
	WALK_LATE,  /* the sample takes too long: walk_late() */
};

/* A bit of frame.address when keep_shims is set: the frame was read on its own, not in a data-stack block. */
#define FRAME_SINGLE 1

struct frame {
	__u64 address;
	__u64 code;  /* its code object; 0 = shim */
	__u64 instr; /* address of the instruction; up to 3.10 f_lasti, 32 bits */
};

/*
 * One walk. It lives in per-CPU memory, because the verifier follows each value on the BPF stack by itself.
 */
struct walk {
	/* What the caller wants. */
	__u32 max_depth;  /* Python frames, at most */
	__u32 single;	  /* --reads single: one read for each frame */
	__u32 keep_shims; /* store shims too, with code 0 */
	__u32 in_use;	  /* end at a frame that is not in use, where a frame says so */
	__u32 patience;	  /* ns, how long a sample may take, from the first question on; 0 = for ever */
	__u32 leaf_only;  /* the time is up: what is left are the frames at the leaf, and those are few */

	/* What has been found. */
	__u32 end;	 /* enum walk_end */
	__u32 depth;	 /* frames stored */
	__u32 python;	 /* ... of which are not shims */
	__u8 last_owner; /* of the frame parsed last */
	__u8 last_is_entry;
	__u16 pad;
	/* Of all walks of a sample: the caller sets them to 0. */
	__u32 reads, read_bytes, faults;
	__u32 steps;	/* of the loops */
	__u64 deadline; /* ns; 0 = not set yet */
	__u64 last;	/* address of the frame parsed last */

	/* Where it stands. */
	__u64 next;   /* the frame to parse next */
	__u64 resume; /* parse no frame at or below this address in this step; 0 = all */
	struct {
		__u64 now;   /* the data-stack chunk that frames are expected in */
		__u64 older; /* its predecessor, 0 = not known */
	} chunk;
	struct {
		__u64 address; /* of what mem holds from BLOCK_AT on, 0 = nothing */
		__u32 size;
		__u32 count; /* blocks that were read in this walk */
	} block;
	struct { /* walk_step() tells walk_parse() what to parse */
		__u64 address;
		__u32 size;
		__u32 at; /* its place in mem */
	} parse;

	/* 3.11, 3.12, for cframe.h: the newest activation of the interpreter's loop. */
	struct {
		__u64 caller;  /* the frame that called into it; set after walk_begin() */
		__u32 entered; /* 1 once a frame was parsed that this one called */
		__u32 strange; /* 1 if another entry frame came before that */
	} entry;

	/* For cache.h: how the walk stands to the thread's last stack. */
	struct {
		__u32 left; /* remembered frames that were not passed yet, those nearest to the root */
		__u32 run;  /* what left was when the frames began that have proved equal; 0 = none has */
		/*
		 * A run that ended early is copied: its frames below this index are still to do; 0 = none is.
		 */
		__u32 flush;
	} cached;

	__u8 mem[WALK_MEM + WALK_SLACK] __attribute__((aligned(8))); /* words are loaded from it */
	struct frame frames[DEPTH_LIMIT + AWAIT_FRAMES]; /* leaf first; from AWAIT_FIRST on: python/await.h */
};

#endif
