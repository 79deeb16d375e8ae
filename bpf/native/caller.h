/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * caller.h - one step of unwind.h on the machine that it is for: the caller's registers, by a rule
 * (abi/native.h).
 */
#ifndef PYPERF_BPF_NATIVE_CALLER_H
#define PYPERF_BPF_NATIVE_CALLER_H

#include "bpf/native/stack_word.h"

struct caller {
	__u64 pc, sp, bp; /* bp: rbp, or x29 */
};

#if NATIVE_ARM64
#include "bpf/native/caller_arm64.h"
#else
#include "bpf/native/caller_x86.h"
#endif

#endif
