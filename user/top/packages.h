/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * packages.h - a profile by packages: a row for each, with the time in its own code, and in all it called.
 */
#ifndef PYPERF_TOP_PACKAGES_H
#define PYPERF_TOP_PACKAGES_H

#include "top/rows.h"

/* Rows of `to`, which has none. What a count is, cpus says. 0 or -ENOMEM. */
int packages_add(const struct profile *p, double (*cpus)(const struct profile *p, __u64 count),
		 struct top_rows *to);

#endif
