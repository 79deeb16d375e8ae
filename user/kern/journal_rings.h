/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * journal_rings.h - reads the journal of samples (bpf/abi/journal.h), which the programs keep with --log.
 */
#ifndef PYPERF_KERN_JOURNAL_RINGS_H
#define PYPERF_KERN_JOURNAL_RINGS_H

#include <stdbool.h>
#include <linux/types.h>

#include "bpf/abi/trace.h"
#include "kern/table.h"

struct journal_ring;
struct kernel;
struct pyperf;
struct side;

/* A sample. */
struct journal_sample {
	__u64 ns;	      /* CLOCK_MONOTONIC: when it was taken, or when its span ends */
	__u64 amount;	      /* in the unit of its kind */
	__u32 node, kind;     /* numbers of the tables, and an enum event_kind, which are not proved */
	bool is_span;	      /* the amount is the time that has passed until then */
	struct trace_ids ids; /* of the span that was current */
};

struct journal_rings {
	struct table table;
	const struct journal_ring *rings; /* NULL: there is no journal */
	int count;			  /* of CPUs */
	__u64 *read;			  /* records of each that were read, or lost */
};

/* Before loading: leaves the rings out unless they are wanted. 0 or -errno. */
int journal_rings_prepare(struct pyperf *skel, int cpus, bool wanted);
/* After loading. 0 or -errno. */
int journal_rings_open(struct journal_rings *j, const struct side *side, int cpus);
void journal_rings_close(struct journal_rings *j);

/*
 * Hands on all samples that are there, CPU by CPU, each in its order. Returns how many were lost, since they
 * were written over before they were read; -errno as soon as take() returns that, and then some samples may
 * not have been handed on. What is lost is so much of this reading or the one before.
 */
__s64 kernel_read_journal(struct kernel *k, int (*take)(void *context, const struct journal_sample *s),
			  void *context);
/* How full the fullest ring is that was not read yet: 0 to 1, or more if samples are lost already. */
double kernel_journal_fullness(const struct kernel *k);

#endif
