/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * code.h - what is known of code objects: by a thread from one sample to the next, and in one sample.
 */
#ifndef PYPERF_BPF_DATA_CODE_H
#define PYPERF_BPF_DATA_CODE_H

#include "bpf/abi/types.h"

#define HEADER_MASK  255		     /* covers a code object's header, layout.code_size */
#define HEADER_BYTES (HEADER_MASK + 1 + 8) /* there is a word at every masked place */

/* A code object that the thread was seen in, to be found without the large tables. */
struct known_code {
	__u64 address;
	__u64 epoch; /* the entry holds in this code_moment() only */
	__u32 process;
	__u32 index;   /* its number in codes */
	__u32 digest;  /* without an epoch, if it is settled: known_digest(); else 0 */
	__u32 reading; /* thread.reading, when all that counts was last read */
};

#define KNOWN_CODES 64 /* slots of a thread; a power of two */

/* Bits of scratch.code.unsettled. Without a code epoch this sample met a code object ... */
#define UNSETTLED_NEW	 1 /* ... for the first time, or in the place of another one, ... */
#define UNSETTLED_REUSED 2 /* ... in the place of a settled one, ... */
#define UNSETTLED_YOUNG	 4 /* ... that is not settled yet (python/settled.h) */

/* Whether this sample may go by known_code.digest. */
enum recall {
	RECALL_NOT,
	RECALL_MAY,
	RECALL_DONE, /* ... and has */
};

#endif
