/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * moments.h - when the samples of a profile were taken, where that is known (--log).
 */
#ifndef PYPERF_PROFILE_MOMENTS_H
#define PYPERF_PROFILE_MOMENTS_H

#include <stddef.h>
#include <linux/types.h>

struct moment {
	__u64 begin, end; /* ns after the profile's start; of ticks those of the first and the last one */
	__u64 amount;	  /* in the unit of its kind */
	__u32 sample;	  /* its id in the profile */
	__u32 kind;	  /* enum event_kind */
};

/* Begins as 0. */
struct moments {
	struct moment *list; /* in no order */
	size_t count, capacity;
};

/* The same in the order of their samples, and of each sample by kind and begin. Begins as 0. */
struct sorted_moments {
	struct moment *list; /* NULL: there are none */
	size_t *first; /* by sample: the first of its moments; that of the next one is behind its last */
};

/* 0 or -ENOMEM. */
int moments_add(struct moments *m, const struct moment *one);
void moments_free(struct moments *m);

/* Of a profile with so many samples. 0 or -ENOMEM. */
int moments_sort(const struct moments *m, __u32 samples, struct sorted_moments *ret);
void sorted_moments_free(struct sorted_moments *m);

#endif
