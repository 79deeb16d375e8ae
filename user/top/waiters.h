/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * waiters.h - who waits for what: a row for each pair of a function that waits, and of the function that
 * holds the GIL meanwhile, or of the system call or reason that it waits in.
 */
#ifndef PYPERF_TOP_WAITERS_H
#define PYPERF_TOP_WAITERS_H

#include "top/rows.h"

/* Rows of `to`, which has none; what a CPU did is no wait. What a count is, cpus says. 0 or -ENOMEM. */
int waiters_add(const struct profile *p, double (*cpus)(const struct profile *p, __u64 count),
		struct top_rows *to);

#endif
