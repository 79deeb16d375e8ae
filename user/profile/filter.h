/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter.h - the part of a profile that is of certain kinds of events and whose samples have certain labels,
 * rows of labels.def that are IN_QUERY; with or without its frames of native code.
 */
#ifndef PYPERF_PROFILE_FILTER_H
#define PYPERF_PROFILE_FILTER_H

#include <stdbool.h>

#include "profile/profile.h"

#define FILTER_KEYS_SIZE 256 /* of the text that names the keys, NUL included */
#define FILTER_VALUE_MAX 256 /* with its NUL: the longest name that Kubernetes gives is 253 */

/* All zero keeps everything. */
struct profile_filter {
	__u32 events;				    /* EVENT_BIT()s of the kinds to keep; 0 = all */
	bool hide_native;			    /* leaves frames of native code out (frame_is_native()) */
	char values[LABEL_COUNT][FILTER_VALUE_MAX]; /* "" = any */
};

/* ", pid, comm, ...", for messages. */
void profile_filter_keys(char ret_keys[FILTER_KEYS_SIZE]);
/*
 * From now on only samples match that have this value of this label. -ENOENT if there is no such key; -EINVAL
 * if the label cannot have this value, or was set before.
 */
int profile_filter_set(struct profile_filter *f, const char *key, const char *value);
bool profile_filter_is_empty(const struct profile_filter *f);
bool profile_filter_is_same(const struct profile_filter *a, const struct profile_filter *b);
/* Makes a new profile of the samples that match. 0; -EINVAL if p has none of the kinds of events; -ENOMEM. */
int profile_filter_apply(const struct profile_filter *f, const struct profile *p, struct profile **ret);

#endif
