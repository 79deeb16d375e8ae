/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * end.h - the end of every sample, whatever made it, and the only place that counts one: on its node of the
 * call tree, in the books of its kind of event, and in the total that those books add up to; with --log in
 * the journal. Whoever wants more of samples than that, or fewer of them, adds it here.
 */
#ifndef PYPERF_BPF_SAMPLE_END_H
#define PYPERF_BPF_SAMPLE_END_H

#include "bpf/base/mem.h"
#include "bpf/data/maps.h"
#include "bpf/sample/journal.h"

/* Adds to the count of a node. All CPUs do. */
static __always_inline void end_node(__u32 node, __u64 amount)
{
	struct node *n = bpf_map_lookup_elem(&nodes, &node);

	if (n)
		__sync_fetch_and_add(&n->count, amount);
}

/*
 * Adds to one of this CPU's counters of a kind. Only the run that has the CPU's scratch ends a tick, and what
 * interrupts that ends none, but for NESTED, which has a counter of its own: ticks need no atomic addition.
 * Samples of all other kinds may end at any time, also in the middle of the end of another one. alone: this
 * one does not.
 */
static __always_inline void end_add(__u64 *counter, __u64 amount, const int alone)
{
	if (alone)
		*counter += amount;
	else
		__sync_fetch_and_add(counter, amount);
}

/* Adds to the row of stats.def that the books of the kind add up to. */
static __always_inline void end_total(struct cpu_stats *count, __u64 amount, const enum event_kind kind,
				      const int alone)
{
#define EVENT(name, ...)          \
	if (kind == EVENT_##name) \
		end_add(event_total(count, EVENT_##name), amount, alone);
#include "bpf/events.def"
#undef EVENT
}

/*
 * A sample of this kind is over. outcome: an enum outcome. node: what is counted if that one is in the
 * profile. amount: how much of the kind's unit the sample stands for. NESTED interrupts another sample, so
 * its book is all that it may touch, and kernel_stats() adds that to the total. kind is to be a constant:
 * then only what belongs to it is compiled. at, span, ids: for journal_note().
 */
static __always_inline void sample_end_at(struct cpu_stats *count, const enum event_kind kind, __u32 node,
					  __u32 outcome, __u64 amount, __u64 at, __u64 span,
					  const struct trace_ids *ids)
{
	if (outcome == OUTCOME_NESTED) {
		__sync_fetch_and_add(&count->outcome[kind][OUTCOME_NESTED], amount);
		return;
	}
	mem_opaque(outcome);
	if (outcome >= OUTCOME_COUNT)
		return;
	if (outcome_is_in_profile(outcome)) {
		end_node(node, amount);
		if (opt_log)
			journal_note(node, kind, amount, at, span, ids);
	}
	end_add(&count->outcome[kind][outcome], amount, event_is_tick(kind));
	end_total(count, amount, kind, event_is_tick(kind));
}

/* The same of one that ends now, and of which no span of time is known. */
static __always_inline void sample_end(struct cpu_stats *count, const enum event_kind kind, __u32 node,
				       __u32 outcome, __u64 amount)
{
	sample_end_at(count, kind, node, outcome, amount, 0, 0, NULL);
}

/* The same for one outside of the profile, with interrupts off, of a kind of which no tick is. */
static __always_inline void sample_end_alone(struct cpu_stats *count, const enum event_kind kind,
					     const enum outcome outcome, __u64 amount)
{
	end_add(&count->outcome[kind][outcome], amount, 1);
	end_total(count, amount, kind, 1);
}

#endif
