/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * journal.h - writes the journal of samples (bpf/abi/journal.h): one record for each, where it ends.
 */
#ifndef PYPERF_BPF_SAMPLE_JOURNAL_H
#define PYPERF_BPF_SAMPLE_JOURNAL_H

#include "bpf/base/mem.h"
#include "bpf/data/maps.h"

static __always_inline void journal_put(struct journal_ring *ring, __u64 position, __u64 when, __u64 what)
{
	__u32 index = position;
	struct journal_record *r;

	mem_opaque(index);
	r = &ring->records[index & (JOURNAL_RECORDS - 1)];
	r->what = what | journal_lap(position);
	r->when = when | journal_lap(position);
}

static __always_inline void journal_put_ids(struct journal_ring *ring, __u64 position,
					    const struct trace_ids *ids)
{
	for (int i = 0; i < JOURNAL_IDS_RECORDS; i++)
		journal_put(ring, position + i, journal_ids_word(ids, 2 * i) << JOURNAL_LAP_BITS,
			    journal_what(journal_ids_word(ids, 2 * i + 1), JOURNAL_IDS, 0, 0, 0));
}

#define JOURNAL_SPAN 0x100 /* beside the kind: the amount is a span of time */

/*
 * Adds a record. at: bpf_ktime_get_ns() of the sample; 0 = now. ids: of the current span; may be NULL. A
 * global function: the verifier looks at it once, for every end of a sample. Programs interrupt each other,
 * so places are taken by one atomic addition. Always 0.
 */
__noinline int journal_entry(const struct trace_ids *ids, __u32 node, __u32 kind, __u64 amount, __u64 at)
{
	const __u32 with_ids = opt_trace && ids && ids->span, span = kind & JOURNAL_SPAN ? 1 : 0;
	__u32 cpu = bpf_get_smp_processor_id();
	struct journal_ring *ring;
	__u64 position;

	if (!opt_log)
		return 0;
	ring = bpf_map_lookup_elem(&journals, &cpu);
	if (!ring)
		return 0;
	at = at ?: bpf_ktime_get_ns();
	position = __sync_fetch_and_add(&ring->head, with_ids ? 1 + JOURNAL_IDS_RECORDS : 1);
	if (with_ids && ids)
		journal_put_ids(ring, position + 1, ids);
	journal_put(ring, position, journal_when(at, node, 0),
		    journal_what(amount, kind & JOURNAL_IDS, with_ids, span, 0));
	return 0;
}

/*
 * Notes a sample that is in the profile. span: so many ns of the amount are the time that has passed until
 * `at`; the rest is time of others that it stands for, whose ids are not known.
 */
static __always_inline void journal_note(__u32 node, const enum event_kind kind, __u64 amount, __u64 at,
					 __u64 span, const struct trace_ids *ids)
{
	if (span)
		journal_entry(ids, node, kind | JOURNAL_SPAN, span, at);
	if (amount > span)
		journal_entry(span ? NULL : ids, node, kind, amount - span, at);
}

#endif
