/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hash.h - where a key stands in a table of open addressing whose size is a power of two.
 */
#ifndef PYPERF_BPF_BASE_HASH_H
#define PYPERF_BPF_BASE_HASH_H

#include "bpf/abi/types.h"

/* The finalizer of SplitMix64: every bit of the key moves every bit of the result. */
static __always_inline __u64 mix(__u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/*
 * From one slot tried to the next, double hashing. It is odd, so that every slot of the table is reached.
 */
static __always_inline __u32 probe_step(__u64 hash)
{
	return hash >> 32 | 1;
}

#endif
