/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pod_list.h - reads the JSON of a kubelet's /pods (a v1.PodList) as it comes in. What is in it was written by everybody who
 * may make a pod, so its size, its depth and what it takes in memory are bounded.
 */
#ifndef PYPERF_KUBELET_POD_LIST_H
#define PYPERF_KUBELET_POD_LIST_H

#include "kubelet/pod_labels.h"

#define POD_LIST_BYTES_MAX	(16UL << 20)
#define POD_LIST_DEPTH_MAX	64
/* Objects and arrays, some 800 bytes of memory each; other values, some 100. A pod has two or three hundred of both. */
#define POD_LIST_CONTAINERS_MAX (128UL << 10)
#define POD_LIST_VALUES_MAX	(512UL << 10)

struct pod_list;

int pod_list_new(struct pod_list **ret); /* 0 or -ENOMEM */
void pod_list_free(struct pod_list *l);	 /* NULL is fine */

/* The next bytes. -EFBIG: more than the bounds; -EBADMSG: this is not JSON. After that, only pod_list_free(). */
int pod_list_add(struct pod_list *l, const char *data, size_t size);
/*
 * The pods, once all of it has come in, with their labels of these names; *ret is to be freed. What is no pod is left out,
 * and so is a value that can be none. 0; -EBADMSG: cut off, or not a list; -ENOMEM.
 */
int pod_list_take(const struct pod_list *l, const struct pod_label_names *names, struct pod_entry **ret, size_t *ret_count);

#endif
