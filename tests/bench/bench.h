/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bench.h - what hot.bpf.c and hot.c tell each other. Plain data, no includes, like bpf/abi.h.
 */
#ifndef PYPERF_TESTS_BENCH_H
#define PYPERF_TESTS_BENCH_H

#define BENCH_RUNS     65536 /* run times kept of a round; a power of two */
#define BENCH_READ_MAX 4096

enum bench_work { BENCH_PAUSE, BENCH_SAMPLE, BENCH_READ, BENCH_EMPTY };

struct bench_control {
	__u32 work;	 /* enum bench_work */
	__u32 repeat;	 /* stacks (or reads) of one run */
	__u32 read_size; /* bytes */
	__u32 pad;
	__u64 read_address; /* in the target */
};

struct bench_result {
	__u64 runs;
	__u64 stacks; /* or reads, or nothings */
	__u64 total_ns;
	__u64 failed; /* reads */
};

#endif
