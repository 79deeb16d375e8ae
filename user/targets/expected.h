/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * expected.h - processes that have only begun, and will be Python as soon as the loader has mapped a library,
 * or the interpreter runs its first function. They are looked at again every few ms, for a quarter of a
 * second: the kernel side would ask at their next tick, and that tick would be lost.
 */
#ifndef PYPERF_TARGETS_EXPECTED_H
#define PYPERF_TARGETS_EXPECTED_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "bpf/abi.h"

#define EXPECTED_MAX 8 /* at a time; the others wait for the kernel side */

struct loop;
struct verdicts;

struct expected_process {
	struct record_process process;
	__u64 since, due; /* clock_ns(); due 0 = it has been asked about */
};

struct expected {
	struct verdicts *verdicts; /* which is asked */
	struct expected_process processes[EXPECTED_MAX];
	size_t count;
};

/* From now on it is one, if there is room. */
void expected_add(struct expected *e, const struct record_process *p);
/* It was looked at, and was not yet what it will be. False: it is none, or has taken too long. */
bool expected_again(struct expected *e, const struct record_process *p);
/* It has become what it is, or has ended. */
void expected_forget(struct expected *e, __u32 pid);
/* Adds the row that has those looked at that are due. 0 or -errno of loop_watch(). */
int expected_watch(struct expected *e, struct loop *loop);

#endif
