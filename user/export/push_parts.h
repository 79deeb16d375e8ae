/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * push_parts.h - what is pushed of a profile: one compressed profile for each service and kind of event, or
 * several if a receiver would not take one so large. In OTLP all kinds are in one, and it tells the processes
 * and threads of a service apart. Of a large profile that takes a tenth of a second and
 * more.
 */
#ifndef PYPERF_EXPORT_PUSH_PARTS_H
#define PYPERF_EXPORT_PUSH_PARTS_H

#include "export/push/push.h"
#include "kubelet/pod_labels.h"
#include "profile/profile.h"

/* Of one user in an interval, of each kind of event; in OTLP of all. What is beyond is one, SPLIT_MORE. */
#define PUSH_SERIES_MAX 128

struct series_names;

/* Facts that all series of a run share. They do not change once they are made, so threads may read them. */
struct push_series {
	char node[65]; /* this machine's name */
	/* The names of pods' labels in the form that receivers take; "" = that label is not sent. */
	char label_names[PROFILE_EXTRA_MAX][POD_LABEL_NAME_SIZE + 8];
};

void push_series_make(const struct pod_label_names *names, struct push_series *ret);

/*
 * Adds the profile's parts to the list. The names are those of earlier intervals, NULL = none matter. 0;
 * -ECANCELED, soon after *stop has become true; -ENOMEM. After a failure the list has a part of them.
 */
int push_parts_make(const struct push_series *series, enum push_format format, const struct profile *p,
		    struct series_names *series_names, const bool *stop, struct push_list *list);

#endif
