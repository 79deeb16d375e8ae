/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock_pair.h - by how much one clock is ahead of another (base/clock_ahead.h).
 */
#ifndef PYPERF_BPF_DATA_CLOCK_PAIR_H
#define PYPERF_BPF_DATA_CLOCK_PAIR_H

#include "bpf/abi/types.h"

struct clock_pair {
	__u64 at;    /* of the other clock, when they were compared; 0 = not yet */
	__u64 ahead; /* so many ns */
};

#endif
