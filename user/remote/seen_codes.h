/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * seen_codes.h - the code objects of the frames that one look from outside has seen, each once, with the
 * fingerprints that the kernel side computes of them. So a line is the same node of the call tree, whoever
 * saw it.
 */
#ifndef PYPERF_REMOTE_SEEN_CODES_H
#define PYPERF_REMOTE_SEEN_CODES_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

#include "bpf/abi.h"

#define SEEN_CODES_MAX	 16384
#define SEEN_SLOTS	 (2 * SEEN_CODES_MAX)
#define SEEN_NONE	 (~0U)	   /* there is no code object, or no room for it */
#define SEEN_SHIM	 (~0U - 1) /* the interpreter's own, which is not shown */

/* Plain data: these two travel between processes. */
struct seen_code {
	__u64 address;
	__u64 fingerprint; /* digest_code() */
	__u64 table;	   /* address of its line table */
	__s32 first_line;
	__u32 pad;
};

struct seen_frame {
	__u32 code;  /* which of the codes */
	__u32 instr; /* node_instr() */
};

struct seen_codes {
	const struct layout *layout;
	pid_t memory;
	__u32 count, known;
	struct seen_code codes[SEEN_CODES_MAX];
	struct {	       /* by the address, the code objects that were read */
		__u64 address; /* 0 = free */
		__u32 number;  /* of the codes, or SEEN_SHIM */
	} slots[SEEN_SLOTS];
};

/* s is all 0. The process is reached through thread `memory`; layout is borrowed. */
void seen_codes_begin(struct seen_codes *s, pid_t memory, const struct layout *layout);

/* The number of the code object at the address, which is read if it is new; SEEN_SHIM or SEEN_NONE. */
__u32 seen_codes_find(struct seen_codes *s, __u64 address);

/* Once they have come from somewhere else: whether no number in them is impossible. */
bool seen_codes_are_sane(const struct seen_code *codes, __u32 count);
bool seen_frames_are_sane(const struct seen_frame *frames, __u32 count, __u32 codes);

#endif
