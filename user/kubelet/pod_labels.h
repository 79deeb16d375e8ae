/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pod_labels.h - the chosen labels (Kubernetes' metadata.labels) of pods, by the pod's uid.
 */
#ifndef PYPERF_KUBELET_POD_LABELS_H
#define PYPERF_KUBELET_POD_LABELS_H

#include <stdbool.h>
#include <stddef.h>

#include "proc/cgroup.h"

#define POD_LABELS_MAX	     16
#define POD_LABEL_NAME_SIZE  318 /* a DNS name of 253 characters, '/', a name of 63 */
#define POD_LABEL_VALUE_SIZE 64

/* The names of the chosen labels, as the user wrote them. */
struct pod_label_names {
	char name[POD_LABELS_MAX][POD_LABEL_NAME_SIZE];
	size_t count;
};

/*
 * Parses "NAME[,NAME...]". -EINVAL if one cannot be a label's name or is there twice, or if they are too
 * many.
 */
int pod_label_names_parse(const char *text, struct pod_label_names *ret);

/* Whether the text can be a label's value: at most 63 letters, digits, '-', '_' and '.'. */
bool pod_label_is_value(const char *text);

/* One pod. Strings are NUL-terminated. */
struct pod_entry {
	char uid[POD_UID_SIZE];
	char value[POD_LABELS_MAX][POD_LABEL_VALUE_SIZE]; /* in the names' order; "" = it has no such label */
	double seen;					  /* when it was last in a list, CLOCK_MONOTONIC, s */
};

/* The known pods, in the order of their uids. All zero means none. */
struct pod_labels {
	struct pod_entry *entries;
	size_t count;
};

#define PODS_KNOWN_MAX	  4096
#define POD_KEPT_SECONDS  3600 /* after its end: samples of it may still have to be written */

/*
 * Takes a new list of pods, in any order; it belongs to the table from then on. Of two with the same uid the
 * first counts. Pods of the table that the list does not name stay for POD_KEPT_SECONDS. More than
 * PODS_KNOWN_MAX are not kept. 0 or -ENOMEM.
 */
int pod_labels_update(struct pod_labels *t, struct pod_entry *list, size_t count, double now);
/* NULL if the pod is unknown. Valid until the next update. */
const struct pod_entry *pod_labels_find(const struct pod_labels *t, const char *uid);
void pod_labels_free(struct pod_labels *t);

#endif
