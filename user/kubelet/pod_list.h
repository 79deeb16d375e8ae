/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pod_list.h - reads the JSON of a kubelet's /pods (a v1.PodList) as it comes in. Everybody who may make a
 * pod has written a part of it, so its size, its depth and the memory that it takes are bounded.
 */
#ifndef PYPERF_KUBELET_POD_LIST_H
#define PYPERF_KUBELET_POD_LIST_H

#include "kubelet/pod_labels.h"

#define POD_LIST_BYTES_MAX	(16UL << 20)
#define POD_LIST_DEPTH_MAX	64
/*
 * An object or array takes some 800 bytes of memory, any other value some 100. A pod has two or three hundred
 * of both.
 */
#define POD_LIST_CONTAINERS_MAX (128UL << 10)
#define POD_LIST_VALUES_MAX	(512UL << 10)

struct pod_list;

int pod_list_new(struct pod_list **ret); /* 0 or -ENOMEM */
void pod_list_free(struct pod_list *l);	 /* NULL is fine */

/*
 * Adds the next bytes. 0; -EFBIG if they exceed a bound; -EBADMSG if this is not JSON. After a failure
 * nothing but pod_list_free() may be called.
 */
int pod_list_add(struct pod_list *l, const char *data, size_t size);
/*
 * Once everything has come in: the pods, with their labels of these names. The caller frees *ret. What is no
 * pod is left out, and so is a value that cannot be a label's. 0; -EBADMSG if the text was cut off or is no
 * list; -ENOMEM.
 */
int pod_list_take(const struct pod_list *l, const struct pod_label_names *names, struct pod_entry **ret,
		  size_t *ret_count);

#endif
