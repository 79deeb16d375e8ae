/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bank.h - the banks: halves of the tables of nodes, codes and owners, of which the tree's generation says
 * which is in use. See tree_generation in bpf/data/maps.h.
 */
#ifndef PYPERF_BPF_TREE_BANK_H
#define PYPERF_BPF_TREE_BANK_H

#include "bpf/abi/types.h"

/* The bank of a generation, as a mask: all ones for the second, 0 for the first. */
static __always_inline __u32 bank_of(__u32 generation)
{
	return -(generation & 1);
}

/* The index of slot number at of a bank that has mask + 1 entries. at may be any number. */
static __always_inline __u32 bank_index(__u32 bank, __u32 mask, __u32 at)
{
	return (at & mask) | (bank & (mask + 1));
}

#endif
