/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * journal_blocks.h - the memory of the journal of samples: entries of 16 bytes in blocks, oldest first. Ticks
 * that follow each other at one node, and parts of one wait, are one entry.
 */
#ifndef PYPERF_TREE_JOURNAL_BLOCKS_H
#define PYPERF_TREE_JOURNAL_BLOCKS_H

#include <stdbool.h>
#include <linux/types.h>

#include "bpf/abi/trace.h"

struct journal_sample;

#define JOURNAL_TICKS_BITS 12
#define JOURNAL_NS_BITS	   40

struct journal_entry {
	__u64 end : 47, kind : 4, is_span : 1, ticks : JOURNAL_TICKS_BITS;
	/*
	 * stack: a node, or once its bank is cleared the id of a sample of the chunk's profile. ns: of ticks
	 * the time from the first to the last of them, of all else the amount.
	 */
	__u64 stack : 24, ns : JOURNAL_NS_BITS;
};

_Static_assert(sizeof(struct journal_entry) == 16, "a log of a minute has a mebibyte for eight busy threads");

#define JOURNAL_BLOCK_ENTRIES 2045 /* 32 KiB in all */
#define JOURNAL_BLOCK_SPANS   511  /* and half of that for these, in a block that has some */

/* With --trace: of which spans entries are. */
struct journal_spans {
	__u32 count;
	__u16 of[JOURNAL_BLOCK_ENTRIES]; /* by entry: a place in the list, plus one; 0 = of none */
	struct trace_ids list[JOURNAL_BLOCK_SPANS];
};

struct journal_block {
	struct journal_block *next;
	__u64 base;	   /* of the times of its entries, ns of CLOCK_MONOTONIC */
	__u64 first, last; /* the earliest begin and the latest end */
	__u32 count, pad;
	struct journal_spans *spans; /* NULL: no entry is of a span */
	struct journal_entry entries[JOURNAL_BLOCK_ENTRIES];
};

/* The entries of one generation of the call tree. Begins as 0. */
struct journal_blocks {
	struct journal_block *first, *last;
};

#define JOURNAL_RECENT 1024 /* a power of two */

/* The last entries, by their nodes. To be cleared whenever a block goes. Begins as 0. */
struct journal_recent {
	struct {
		struct journal_block *block;
		struct journal_entry *entry;
	} of[JOURNAL_RECENT];
};

/*
 * Adds a sample. Ticks are one with the last of the same node and span, if that is no longer ago than
 * together_ns, and cut_ns does not lie between. Returns how many blocks were added, or -ENOMEM; a part of a
 * very large amount may be in then.
 */
int journal_blocks_add(struct journal_blocks *b, struct journal_recent *recent,
		       const struct journal_sample *s, __u64 together_ns, __u64 cut_ns);
/* The ids of the span that an entry is of; all 0 = of none. */
struct trace_ids journal_entry_ids(const struct journal_block *b, const struct journal_entry *e);
/* Frees the oldest block, which there must be. */
void journal_blocks_drop(struct journal_blocks *b);
/* Frees all. Returns how many there were. */
__u32 journal_blocks_free(struct journal_blocks *b);

/* What an entry has of a stretch of time. */
struct journal_part {
	__u64 begin, end; /* ns of CLOCK_MONOTONIC; equal for a moment */
	__u64 amount;	  /* in the unit of its kind; 0 = it is not in the stretch */
};

/* from: the first ns of the stretch; to: the first behind it. */
struct journal_part journal_part_of(const struct journal_block *b, const struct journal_entry *e, __u64 from,
				    __u64 to);

#endif
