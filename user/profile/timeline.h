/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timeline.h - the moments of a profile (moments.h) as lines of time, one for each thread: what it did from
 * when to when. A tick says that for the time until the next one.
 */
#ifndef PYPERF_PROFILE_TIMELINE_H
#define PYPERF_PROFILE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

struct profile;

struct timeline_piece {
	__u64 begin, end; /* ns after the profile's start; pieces with time of their own do not overlap */
	__u64 amount;	  /* in the unit of its kind */
	__u32 sample, kind;
	bool has_time; /* else something happened at `begin`: memory grew, or time of others was found */
};

/* Begins as 0. */
struct timeline {
	struct timeline_thread {
		__u32 owner;		       /* one of those of the thread */
		struct timeline_piece *pieces; /* by time */
		size_t count;
	} *threads;
	size_t count;
	struct timeline_piece *pieces; /* of all threads */
};

/* Whether two owners are one thread, or one process where profiles are kept so: the order of both. */
int timeline_compare_owners(const struct profile *p, __u32 one, __u32 other);
/* 0 or -ENOMEM. */
int timeline_new(struct timeline *t, const struct profile *p);
void timeline_free(struct timeline *t);

#endif
