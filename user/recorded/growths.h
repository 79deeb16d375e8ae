/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * growths.h - by how much each process grew and shrank in each of several profiles, which are of one stretch
 * of time after the other. Added up, as recorded.h has them, nobody could tell whether growth goes on.
 */
#ifndef PYPERF_RECORDED_GROWTHS_H
#define PYPERF_RECORDED_GROWTHS_H

#include <stddef.h>
#include <linux/types.h>

#include "recorded/interned.h"

#define RECORDED_GROWTHS_MAX 65536 /* rows, and profiles; what is beyond is not kept */

/* A profile in which memory was measured; neither is less than 0. */
struct recorded_stretch {
	__s64 start_ns, duration_ns;
};

struct recorded_growth {
	__u32 profile, unused; /* its index */
	__s64 pid;
	__s64 grown, shrunk; /* bytes */
};

/* All zero is an empty one. */
struct recorded_growths {
	struct interned keys;
	struct buf profiles; /* struct recorded_stretch[] */
	struct buf rows;     /* struct recorded_growth[], in the order in which they were met */
};

/* The next samples are of this profile. 0 or -ENOMEM. */
int recorded_growths_begin(struct recorded_growths *g, __s64 start_ns, __s64 duration_ns);
/* Adds what one sample has. 0, -ENOMEM or -E2BIG. */
int recorded_growths_add(struct recorded_growths *g, __s64 pid, __s64 grown, __s64 shrunk);
void recorded_growths_free(struct recorded_growths *g);

static inline size_t recorded_growths_profiles(const struct recorded_growths *g)
{
	return g->profiles.size / sizeof(struct recorded_stretch);
}

static inline size_t recorded_growths_rows(const struct recorded_growths *g)
{
	return g->rows.size / sizeof(struct recorded_growth);
}

#endif
