/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * run_time.h - what the kernel counts of a program's runs. A program that is not loaded has none.
 */
#ifndef PYPERF_KERN_RUN_TIME_H
#define PYPERF_KERN_RUN_TIME_H

#include <linux/types.h>

struct bpf_program;

/* Adds how often it has run, and for how long; both are 0 unless the kernel keeps run-time statistics. */
void run_time_add(const struct bpf_program *program, __u64 *runs, __u64 *time_ns);

#endif
