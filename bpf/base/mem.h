/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mem.h - the one way to a target's memory. In BPF it is bpf_probe_read_user() on the current task. What is
 * compiled for the host (the worker process, tests) supplies a mem_read() of its own.
 */
#ifndef PYPERF_BPF_BASE_MEM_H
#define PYPERF_BPF_BASE_MEM_H

#include "bpf/abi.h"

/* Reads size bytes. Returns 0, or negative: the page is not in memory, or not mapped; BPF then zeroes dst. */
#ifdef __bpf__
static __always_inline int mem_read(void *dst, __u32 size, __u64 address)
{
	return bpf_probe_read_user(dst, size, (const void *)address);
}
#else
static int mem_read(void *dst, __u32 size, __u64 address);
#endif

/* The lower half of the address space, which is the programs', has so many bits. */
#if defined(__TARGET_ARCH_arm64) || defined(__aarch64__)
#define ADDRESS_BITS 48
#else
#define ADDRESS_BITS 47
#endif

/* Whether an object or a frame can be there: they are 8-aligned, in the lower half of the address space. */
static inline int mem_plausible(__u64 address)
{
	return address >= 4096 && !(address & 7) && !(address >> ADDRESS_BITS);
}

/*
 * Makes the compiler forget where a value came from. It then keeps a check of a bound, which it might have
 * found superfluous, in the place where the verifier has to see it.
 */
#define mem_opaque(x) asm volatile("" : "+r"(x))

#endif
