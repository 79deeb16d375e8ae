/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * split.h - a profile as several, each of one service and small enough for a receiver. A service is a container of a
 * pod (with the same extra labels), or else all processes of one name. Its threads and processes are added up and their
 * labels left out: a receiver makes each label's value a series of its own.
 */
#ifndef PYPERF_PROFILE_SPLIT_H
#define PYPERF_PROFILE_SPLIT_H

#include <stdbool.h>

#include "profile/profile.h"

struct split_service {
	const char *name; /* never "": of the container, the pod or the processes, or "unknown" */
	const char *label[LABEL_COUNT]; /* rows that are IN_SERIES; "" = it has none, and for the other rows */
	const char *extra[PROFILE_EXTRA_MAX]; /* in the order of profile_info's names; beyond them NULL */
};

struct split_limits {
	__u32 samples; /* distinct stacks of a part; > 0 */
	size_t bytes;  /* of a part as uncompressed pprof of one kind of event; what is larger is a part of its own */
};

/*
 * Calls fn for each part, services in the order of their names. The profile is fn's only until it returns. Stops
 * and returns fn's value when that is not 0. Returns 0 or -ENOMEM.
 */
int profile_split(const struct profile *p, const struct split_limits *limits,
		  int (*fn)(void *context, const struct split_service *service, const struct profile *part), void *context);

#endif
