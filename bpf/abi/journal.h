/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * journal.h - the journal of samples (--log): when each was taken, of which node, and how much it counted.
 * Each CPU has a ring of records, which its own programs write and user space reads. Who is not read in time
 * is written over: nothing waits, and no lock is taken.
 *
 *       when   | time: 40 bits of ns                        | node: 22 bits        | lap: 2 |
 *       what   | amount: 56 bits                  | kind: 4 | ids: 1 | span: 1   | lap: 2 |
 *
 * With `ids` the next two records have the ids of the trace and its span (--trace), 48 bits in each word:
 *
 *       when   | 48 bits of ids                                                     | lap: 2 |
 *       what   | 48 bits of ids                   | kind: 4, JOURNAL_IDS            | lap: 2 |
 *
 * Both words name the lap, that is how often the ring has been filled, so that a record that is only half
 * written is seen to be.
 */
#ifndef PYPERF_BPF_ABI_JOURNAL_H
#define PYPERF_BPF_ABI_JOURNAL_H

#include "bpf/abi/events.h"
#include "bpf/abi/trace.h"
#include "bpf/abi/tree.h"
#include "bpf/abi/types.h"

#define JOURNAL_RECORDS 8192 /* of a CPU; a power of two */

#define JOURNAL_LAP_BITS  2
#define JOURNAL_TIME_BITS (64 - NODE_BITS - JOURNAL_LAP_BITS)
#define JOURNAL_KIND_BITS 4
#define JOURNAL_KIND_SHIFT (2 + JOURNAL_LAP_BITS)
#define JOURNAL_IDS	   ((1U << JOURNAL_KIND_BITS) - 1) /* in place of a kind */
#define JOURNAL_IDS_BITS   48 /* of them in a word */
#define JOURNAL_IDS_RECORDS 2

_Static_assert(JOURNAL_TIME_BITS >= 40, "18 minutes pass before a time comes again; rings are read sooner");
_Static_assert(EVENT_KINDS <= JOURNAL_IDS, "a kind of event has its bits");

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

/* span: the amount is ns that have passed until then, without a break. ids: those of a span follow. */
static inline __u64 journal_what(__u64 amount, __u32 kind, __u32 ids, __u32 span, __u32 lap)
{
	return amount << (JOURNAL_KIND_BITS + JOURNAL_KIND_SHIFT) | kind << JOURNAL_KIND_SHIFT |
	       ids << (1 + JOURNAL_LAP_BITS) | span << JOURNAL_LAP_BITS | lap;
}

static inline __u32 journal_kind_of(__u64 what)
{
	return what >> JOURNAL_KIND_SHIFT & ((1U << JOURNAL_KIND_BITS) - 1);
}

/* The number-th word of ids, of which each of the records behind that of the sample has two. */
static inline __u64 journal_ids_word(const struct trace_ids *ids, int number)
{
	const __u64 mask = (1ULL << JOURNAL_IDS_BITS) - 1;

	switch (number) {
	case 0: return ids->high >> 16;
	case 1: return (ids->high << 32 | ids->low >> 32) & mask;
	case 2: return (ids->low << 16 | ids->span >> 48) & mask;
	default: return ids->span & mask;
	}
}

/* The other way round, of all four words. */
static inline struct trace_ids journal_ids(const __u64 words[4])
{
	return (struct trace_ids){
		.high = words[0] << 16 | words[1] >> 32,
		.low = words[1] << 32 | words[2] >> 16,
		.span = words[2] << 48 | words[3],
	};
}

static inline __u32 journal_lap_of(__u64 word)
{
	return word & ((1 << JOURNAL_LAP_BITS) - 1);
}

#endif
