/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter.h - the part of a profile that is of certain kinds of events and whose samples have certain labels,
 * rows of labels.def that are IN_QUERY.
 */
#ifndef PYPERF_PROFILE_FILTER_H
#define PYPERF_PROFILE_FILTER_H

#include <stdbool.h>

#include "profile/profile.h"

#define FILTER_KEYS_SIZE 256 /* of the text that names the keys, NUL included */
#define FILTER_VALUE_MAX 256 /* with its NUL: the longest name that Kubernetes gives is 253 */

/* All zero keeps everything. */
struct profile_filter {
	__u32 events; /* EVENT_BIT()s of the kinds to keep; 0 = all */
	char values[LABEL_COUNT][FILTER_VALUE_MAX]; /* "" = any */
};

/* ", pid, comm, ...", for messages. */
void profile_filter_keys(char ret_keys[FILTER_KEYS_SIZE]);
/* Only samples with this label equal to value. -ENOENT: no such key; -EINVAL: no value it can have, or it has
 * one. */
int profile_filter_set(struct profile_filter *f, const char *key, const char *value);
bool profile_filter_is_empty(const struct profile_filter *f);
/* A new profile of the samples that match. -ENOMEM; -EINVAL: the profile is of none of the kinds. */
int profile_filter_apply(const struct profile_filter *f, const struct profile *p, struct profile **ret);

#endif
