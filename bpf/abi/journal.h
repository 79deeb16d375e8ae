/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * journal.h - the journal of samples (--log): when each was taken, of which node, and how much it counted.
 * Each CPU has a ring of records, which its own programs write and user space reads. Who is not read in time
 * is written over: nothing waits, and no lock is taken.
 *
 *       when   | time: 40 bits of ns                        | node: 22 bits        | lap: 2 |
 *       what   | amount: 57 bits                            | kind: 4 | span: 1    | lap: 2 |
 *
 * Both words name the lap, that is how often the ring has been filled, so that a record that is only half
 * written is seen to be.
 */
#ifndef PYPERF_BPF_ABI_JOURNAL_H
#define PYPERF_BPF_ABI_JOURNAL_H

#include "bpf/abi/events.h"
#include "bpf/abi/tree.h"
#include "bpf/abi/types.h"

#define JOURNAL_RECORDS 8192 /* of a CPU; a power of two */

#define JOURNAL_LAP_BITS  2
#define JOURNAL_TIME_BITS (64 - NODE_BITS - JOURNAL_LAP_BITS)
#define JOURNAL_KIND_BITS 4

_Static_assert(JOURNAL_TIME_BITS >= 40, "18 minutes pass before a time comes again; rings are read sooner");
_Static_assert(EVENT_KINDS <= 1 << JOURNAL_KIND_BITS, "a kind of event has its bits");

struct journal_record {
	__u64 when, what;
};

struct journal_ring {
	__u64 head; /* records begun so far */
	__u64 pad[7];
	struct journal_record records[JOURNAL_RECORDS];
};

/* Of the record that is the position-th of its CPU. Memory that was never written has the lap 0. */
static inline __u32 journal_lap(__u64 position)
{
	return (position / JOURNAL_RECORDS % 3) + 1;
}

static inline __u64 journal_when(__u64 ns, __u32 node, __u32 lap)
{
	return ns << (NODE_BITS + JOURNAL_LAP_BITS) | (__u64)node << JOURNAL_LAP_BITS | lap;
}

/* span: the amount is ns that have passed until then, without a break. */
static inline __u64 journal_what(__u64 amount, __u32 kind, __u32 span, __u32 lap)
{
	return amount << (JOURNAL_KIND_BITS + 1 + JOURNAL_LAP_BITS) |
	       kind << (1 + JOURNAL_LAP_BITS) | span << JOURNAL_LAP_BITS | lap;
}

static inline __u32 journal_lap_of(__u64 word)
{
	return word & ((1 << JOURNAL_LAP_BITS) - 1);
}

#endif
