/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * split.h - cuts a profile into several, each of one service and small enough for a receiver. A service is a
 * container of a pod (with the same extra labels), or else all processes of one name. Its threads and
 * processes are added up, and their labels are left out, because a receiver makes each label's value a series
 * of its own; or, for one that does not, they are kept.
 */
#ifndef PYPERF_PROFILE_SPLIT_H
#define PYPERF_PROFILE_SPLIT_H

#include <stdbool.h>

#include "profile/profile.h"

struct split_service {
	const char *name; /* of the container, the pod or the processes, or "unknown"; never "" */
	const char *label[LABEL_COUNT]; /* of the rows that are IN_SERIES; "" = it has none, or another row */
	const char *extra[PROFILE_EXTRA_MAX]; /* in the order of profile_info's names, then NULL */
};

/* What the owner of samples is called as a service. It belongs to the profile. */
const char *split_service_name(const struct profile *p, const struct profile_owner *o);

struct split_limits {
	__u32 samples; /* distinct stacks of a part; > 0 */
	/*
	 * Of a part as uncompressed pprof of one kind of event. A stack that is larger is a part of its own.
	 */
	size_t bytes;
	bool keeps_labels;
};

/*
 * Calls fn for each part, services in the order of their names. A part is valid only until fn returns. When
 * fn returns something other than 0, that ends it and is returned. Else it returns 0 or -ENOMEM.
 */
int profile_split(const struct profile *p, const struct split_limits *limits,
		  int (*fn)(void *context, const struct split_service *service, const struct profile *part),
		  void *context);

#endif
