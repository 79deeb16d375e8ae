/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memory.h - what is remembered of how large processes are (events/memory.h).
 */
#ifndef PYPERF_BPF_DATA_MEMORY_H
#define PYPERF_BPF_DATA_MEMORY_H

#include "bpf/abi/types.h"
#include "bpf/data/budget.h"

/* The memory of a process that may be of interest (events/memory.h). */
struct memory {
	__u64 mm;    /* its address in the kernel; 0 = free */
	__s64 pages; /* of them, those that are counted */
	__u64 used;  /* jiffies when they were last seen to change; MEMORY_COUNTED */
	__u64 last;  /* ns when they last changed so that they could be looked at; 0 = never */
	struct pace pace;
};

#define MEMORY_BUSY    1 /* memory.mm: somebody is about to use this entry */
#define MEMORY_COUNTED (1ULL << 63) /* in memory.used: the process is one whose growth is counted */
#define MEMORY_WAYS 5
#define MEMORY_SETS 2048 /* a power of two */

struct memory_set {
	struct memory way[MEMORY_WAYS];
} __attribute__((aligned(64)));

#endif
