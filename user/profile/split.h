/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * split.h - cuts a profile into several, each of one service and small enough for a receiver. A service is
 * all that has the same name (services.h) and the same labels of a series. Its threads and
 * processes are added up, and their labels are left out, because a receiver makes each label's value a series
 * of its own; or, for one that does not, they are kept.
 */
#ifndef PYPERF_PROFILE_SPLIT_H
#define PYPERF_PROFILE_SPLIT_H

#include <stdbool.h>

#include "profile/profile.h"

struct series_names;

struct split_service {
	const char *name;		/* service_name() */
	const char *label[LABEL_COUNT]; /* of the rows that are IN_SERIES; "" = it has none, or another row */
	const char *extra[PROFILE_EXTRA_MAX]; /* in the order of profile_info's names, then NULL */
	__u64 user; /* whose processes it has, or some of them: struct profile_labels */
};

struct split_limits {
	__u32 samples; /* distinct stacks of a part; > 0 */
	/*
	 * Of a part as uncompressed pprof of one kind of event. A stack that is larger is a part of its own.
	 */
	size_t bytes;
	/* Moments of a part, each tick one. A stack that has more is a part of its own, without any. */
	__u64 moments;
	bool keeps_labels; /* and moments; but labels of no sample that is of SPLIT_MORE */
	/* Services of one user, those with most samples; the others are SPLIT_MORE. 0 = any number. */
	__u32 services;
	/* Also over time, and it counts those that are in SPLIT_MORE; NULL = it does not matter. */
	struct series_names *names;
};

#define SPLIT_MORE "[more services]"

/*
 * Calls fn for each part, services in the order of their names. A part is valid only until fn returns. When
 * fn returns something other than 0, that ends it and is returned. Else it returns 0 or -ENOMEM.
 */
int profile_split(const struct profile *p, const struct split_limits *limits,
		  int (*fn)(void *context, const struct split_service *service, const struct profile *part),
		  void *context);

#endif
