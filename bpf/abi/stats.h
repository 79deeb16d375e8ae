/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stats.h - how an event can end, and what is counted.
 */
#ifndef PYPERF_BPF_ABI_STATS_H
#define PYPERF_BPF_ABI_STATS_H

#include "bpf/abi/events.h"
#include "bpf/abi/native.h"
#include "bpf/abi/types.h"

/* As a code number below CODE_FIRST, an outcome is a marker frame in the call tree. */
enum outcome {
#define OUTCOME(name, ...) OUTCOME_##name,
#include "bpf/outcomes.def"
#undef OUTCOME
	OUTCOME_COUNT
};

_Static_assert(OUTCOME_COUNT <= 64, "a bit for each");

/* Groups of outcomes, the rows of bpf/groups.def, and sets of them. */
enum outcome_group_number {
#define OUTCOME_GROUP(name, help) OUTCOME_GROUP_NUMBER_##name,
#include "bpf/groups.def"
#undef OUTCOME_GROUP
};

enum outcome_group {
#define OUTCOME_GROUP(name, help) GROUP_##name = 1 << OUTCOME_GROUP_NUMBER_##name,
#include "bpf/groups.def"
#undef OUTCOME_GROUP
};

#define TIME_BUCKETS 96 /* of durations: bpf/base/buckets.h */

/* Counters of one CPU. They only go up; time_max is a maximum. */
struct cpu_stats {
	/* Those that every tick counts come first in stats.def: they share two lines of the cache. */
#define STAT(name, help) __u64 name;
#include "bpf/stats.def"
#undef STAT
	__u64 outcome[EVENT_KINDS][OUTCOME_COUNT]; /* in the unit of the kind */
	__u64 native[NATIVE_ENDS]; /* of the samples of Python processes; all 0 without --native */
	__u64 times[TIME_BUCKETS]; /* runs by their duration, when that is measured */
	__u64 time_sum;		   /* ns */
	__u64 time_max;		   /* ns */
} __attribute__((aligned(64)));	   /* no line of the cache belongs to two CPUs */

#endif
