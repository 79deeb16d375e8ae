/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop.h - bpf_loop() and the clock for the host. In BPF bpf_loop() is a helper of the kernel, whose callback
 * the verifier looks at once, however often it will run.
 */
#ifndef PYPERF_BPF_BASE_LOOP_H
#define PYPERF_BPF_BASE_LOOP_H

#include "bpf/abi/types.h"

#ifndef __bpf__
#include <time.h>

/* CLOCK_MONOTONIC, ns. */
static inline __u64 bpf_ktime_get_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/*
 * Calls step(0, context), step(1, context), ... until it returns 1, steps times at most. Returns how often.
 */
static inline long bpf_loop(__u32 steps, void *step, void *context, __u64 flags)
{
	long (*call)(__u32, void *) = (long (*)(__u32, void *))step;
	__u32 i = 0;

	(void)flags;
	while (i < steps)
		if (call(i++, context))
			break;
	return i;
}
#endif

#endif
