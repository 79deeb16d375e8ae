/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * longest.h - what longest.bpf.c has counted.
 */
#ifndef PYPERF_TESTS_FORGE_LONGEST_H
#define PYPERF_TESTS_FORGE_LONGEST_H

#define LONGEST_CPUS	256  /* a power of two */
#define LONGEST_NS	2000 /* of a bucket */
#define LONGEST_BUCKETS 1024 /* a power of two; the last one has all that took longer */

struct longest_runs {
	unsigned long long counts[LONGEST_BUCKETS];
	unsigned long long max; /* ns */
};

#endif
