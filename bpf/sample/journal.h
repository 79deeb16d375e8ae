/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * journal.h - writes the journal of samples (bpf/abi/journal.h): one record for each, where it ends.
 */
#ifndef PYPERF_BPF_SAMPLE_JOURNAL_H
#define PYPERF_BPF_SAMPLE_JOURNAL_H

#include "bpf/base/mem.h"
#include "bpf/data/maps.h"

/*
 * Adds a record. at: bpf_ktime_get_ns() of the sample; 0 = now. A global function: the verifier looks at it
 * once, for every end of a sample. Programs interrupt each other, so a place is taken by an atomic addition.
 * Always 0.
 */
__noinline int journal_add(__u32 node, __u32 kind, __u64 amount, __u64 at, __u32 span)
{
	__u32 cpu = bpf_get_smp_processor_id(), index;
	struct journal_ring *ring;
	struct journal_record *r;
	__u64 position;

	if (!opt_log)
		return 0;
	ring = bpf_map_lookup_elem(&journals, &cpu);
	if (!ring)
		return 0;
	at = at ?: bpf_ktime_get_ns();
	position = __sync_fetch_and_add(&ring->head, 1);
	index = position;
	mem_opaque(index);
	r = &ring->records[index & (JOURNAL_RECORDS - 1)];
	r->what = journal_what(amount, kind, span, journal_lap(position));
	r->when = journal_when(at, node, journal_lap(position));
	return 0;
}

/*
 * Notes a sample that is in the profile. span: so many ns of the amount are the time that has passed until
 * `at`; the rest is time of others that it stands for.
 */
static __always_inline void journal_note(__u32 node, const enum event_kind kind, __u64 amount, __u64 at,
					 __u64 span)
{
	if (span)
		journal_add(node, kind, span, at, 1);
	if (amount > span)
		journal_add(node, kind, amount - span, at, 0);
}

#endif
