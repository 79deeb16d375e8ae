/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reads.h - reads of a target's memory, counted, and the time that a sample may take (data/budget.h).
 */
#ifndef PYPERF_BPF_PYTHON_READS_H
#define PYPERF_BPF_PYTHON_READS_H

#include "bpf/abi/stats.h"
#include "bpf/base/loop.h"
#include "bpf/base/mem.h"
#include "bpf/data/walk.h"

/* In BPF a global function is verified once, on its own, and not again wherever it is called from. */
#ifdef __bpf__
#define WALK_GLOBAL __attribute__((noinline))
#else
#define WALK_GLOBAL static
#endif

/* From here on reads are counted anew. */
static __always_inline void reads_begin(struct walk *w)
{
	w->reads = w->read_bytes = w->faults = 0;
}

/* Adds those reads to the CPU's counters. */
static __always_inline void reads_end(const struct walk *w, struct cpu_stats *count)
{
	count->reads += w->reads;
	count->read_bytes += w->read_bytes;
	count->read_faults += w->faults;
}

/* At the start of a sample, which may take so many ns from the first question on; 0 = for ever. */
static __always_inline void budget_begin(struct walk *w, __u32 patience)
{
	w->patience = patience;
	w->steps = 0;
	w->deadline = 0;
}

static __always_inline int walk_read(struct walk *w, void *dst, __u32 size, __u64 address)
{
	int err = mem_read(dst, size, address);

	w->reads++;
	w->read_bytes += size;
	if (err)
		w->faults++;
	return err;
}

/* Whether less than spare ns of the sample's time are left. */
static __always_inline int walk_later(struct walk *w, __u32 spare)
{
	__u64 now;

	if (!w->patience)
		return 0;
	now = bpf_ktime_get_ns();
	if (!w->deadline)
		w->deadline = now + w->patience;
	return now + spare > w->deadline;
}

/* Whether the sample has taken too long. */
static __always_inline int walk_late(struct walk *w)
{
	return walk_later(w, 0);
}

/* Asked in each step of a loop, most of which do not look at the clock. If it is late, the walk ends. */
static __always_inline int walk_step_late(struct walk *w)
{
	if (++w->steps & (LATE_STEPS - 1) || !walk_late(w))
		return 0;
	w->end = WALK_LATE;
	return 1;
}

#endif
