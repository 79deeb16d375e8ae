/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mem.h - the one way to a target's memory. In BPF it is bpf_probe_read_user() on the current task; a host
 * build (tests, the worker process) defines PYPERF_HOST and supplies mem_read() itself.
 */
#ifndef PYPERF_BPF_MEM_H
#define PYPERF_BPF_MEM_H

#include "bpf/abi.h"

#ifdef PYPERF_HOST
static int mem_read(void *dst, __u32 size, __u64 address);
#else
/* 0, or a negative errno: the page is not resident, or not mapped. dst is then zeroed. */
static __always_inline int mem_read(void *dst, __u32 size, __u64 address)
{
	return bpf_probe_read_user(dst, size, (const void *)address);
}
#endif

/* Objects and frames are 8-aligned and in the lower half of the address space (47 bits). */
static inline int mem_plausible(__u64 address)
{
	return address >= 4096 && !(address & 7) && !(address >> 47);
}

/* Hides where a value came from, so that the compiler keeps the bound checks that the verifier needs. */
#define mem_opaque(x) asm volatile("" : "+r"(x))

#endif
