/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * native_frames.h - the native frames of one sample, and those that are remembered of a thread: the memory
 * that the other files of this folder work on.
 */
#ifndef PYPERF_BPF_DATA_NATIVE_FRAMES_H
#define PYPERF_BPF_DATA_NATIVE_FRAMES_H

#include "bpf/abi/native.h"

#define NATIVE_DEPTH	   1024 /* frames of a sample, at most; a power of two */
#define NATIVE_CACHE_DEPTH 512	/* frames remembered of a thread, from the root; a power of two */
#define STACK_BLOCK	   4096 /* bytes of the stack read at once; a power of two */

/* A native frame, by the registers in it: those of the thread, or those that a call will give back. */
struct native_frame {
	__u64 pc, sp;
	__u64 bp;    /* 0 = not known */
	__u64 place; /* its position, for the leaf that of its function; and bits of what follows */
};

#define NATIVE_SLOT_SHIFT  48		/* where the caller's rbp was: as in a rule (abi/native.h) */
#define NATIVE_UNSURE	   (1ULL << 56) /* more than the return address and that rbp led to the caller */
#define NATIVE_LOOP	   (1ULL << 57) /* it is the interpreter's loop, by its name */
#define NATIVE_INTERPRETER (1ULL << 58) /* it is in the file of that loop */

/* What is remembered of a thread between samples. */
struct native_cache {
	__u32 space; /* struct process.space that it holds for */
	__u32 depth;
	/* Of a program without Python: the node of its first `run` frames below this root. */
	__u32 node, run, root, generation;
	/* For each frame of the thread's struct cache: native frames from the root to its own */
	__u16 below[1024];
	struct native_frame frames[NATIVE_CACHE_DEPTH]; /* root first */
};

/* Which frame ends the way from the leaf to the root, and is not shown itself. */
enum unwind_goal {
	UNWIND_NOWHERE, /* it is not known: the leaf is all that is certain */
	UNWIND_ADDRESS, /* the one that has the object at unwind.object among its local variables */
	UNWIND_LOOP,	/* the first one of the interpreter's loop */
	UNWIND_ALL,	/* none: up to the thread's first function */
};

#define NATIVE_CACHE_NONE (~0U)

enum merge_state {
	MERGE_NONE, /* nothing was merged: there is no whole stack, or it is not wanted */
	MERGE_DONE,
	MERGE_FAILED, /* the frames do not fit together */
};

struct unwind {
	__u32 goal;  /* enum unwind_goal */
	__u32 depth; /* frames found, leaf first, on top of the first `run` ones that are remembered */
	__u32 end;   /* enum native_end */
	__u32 steps;
	__u64 object; /* a local variable of the frame that runs the newest Python frame; 0 = none is known */
	__u64 cframe; /* the same, where it is known before the walk */

	/* Registers of the frame at hand. */
	__u64 pc, sp, bp;
	__u64 context; /* where a signal's handler will restore the registers from; 0 = those of the thread */
	__u32 exact;   /* pc is where the thread was interrupted, and no return address */
	__u32 mappings; /* of the process, ... */
	__u32 space;	/* ... behind this block */
	__u32 pad2;
	struct text_mapping at; /* the one that the last pc was in */

	struct {	    /* native/native_cache.h: how the way stands to the thread's last one */
		__u32 left; /* remembered frames that were not passed yet, those nearest to the root */
		__u32 run;  /* the first so many are on the way, or are being compared */
	} cached;

	struct {		 /* stack/merge.h: which native frame runs which Python frame */
		__u32 state;	 /* enum merge_state */
		__u32 use_cache; /* what is remembered of the thread may be used */
		__u32 cached;	 /* the native frames that are remembered were used */
		__u32 slot;	 /* of those in native_caches; NATIVE_CACHE_NONE: they are not used */
		__u32 python;	 /* frame of the walk at hand, leaf first */
		__u32 native;	 /* native frame at hand, leaf first */
		__u32 failed;
		__u32 spare;  /* up to 3.10: the newest activation is taken for one without a Python frame */
		__u32 newest; /* leaf first: the native frame that runs the newest Python frame */
		__u32 below;  /* leaf first: this native frame, and those behind it, are not to be added */
		__u32 oldest; /* no Python frame is in the tree yet, so what is older was not called by one */
		__u64 base;   /* 3.15: a shim that is in no native frame */
		/* 3.11: the CFrame of the activation at hand; the one before that, and its first words. */
		__u64 cframe, older_at, older[4];
		/* For each frame of the walk: the native frame that was entered for it, or one of these. */
		__u16 entered[4096];
	} merge;

	struct {
		__u64 address; /* of what mem holds */
		__u32 size;
		__u32 pad;
	} block;
	__u8 mem[STACK_BLOCK + 8] __attribute__((aligned(8)));
	struct native_frame frames[NATIVE_DEPTH];
};

#define ENTERED_NONE	0xffff /* it was called by the frame below it, within one activation of the loop */
#define ENTERED_UNKNOWN 0xfffe /* it is beyond the native frames that could be found */

#endif
