/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pods.h - the names of this node's pods, from the names in the kubelet's folder of logs. No log is opened.
 * Two forms are understood, for each entry by itself:
 *   /var/log/pods        NAMESPACE_POD_UID/CONTAINER/     there before the container starts
 *   /var/log/containers  POD_NAMESPACE_CONTAINER-ID.log   there soon after
 */
#ifndef PYPERF_PROC_PODS_H
#define PYPERF_PROC_PODS_H

#include <stdbool.h>

#include "proc/cgroup.h"

#define NAMESPACE_SIZE 64  /* RFC 1123 label */
#define POD_NAME_SIZE  254 /* RFC 1123 subdomain */
#define PODS_MAX       16384 /* entries that are kept of a folder; a node has some hundred */

/* Strings are NUL-terminated; "" = unknown. */
struct pod_names {
	char namespace[NAMESPACE_SIZE];
	char pod[POD_NAME_SIZE];
	char container[CONTAINER_NAME_SIZE];
};

struct pods;

/* The folder need not be there, now or ever. Returns 0 or -ENOMEM. */
int pods_new(struct pods **ret, const char *folder);
void pods_free(struct pods *p);

/*
 * Finds the names of the pod with that uid and of the container with that id; either may be "". hint is what
 * something less certain says the container's name is, or ""; it counts if the pod has a container of that
 * name. When what is asked for is unknown and the folder has changed, the folder is listed again. False if it
 * stays unknown; *ret is then untouched. It reads a file system, so it is meant for the worker.
 */
bool pods_find(struct pods *p, const char *pod_uid, const char *container_id, const char *hint,
	       struct pod_names *ret);

/*
 * Parses one name in either form. The key is the pod's uid or the container's id. False if it has neither
 * form.
 */
bool pods_parse_name(const char *name, char ret_key[CONTAINER_ID_SIZE], struct pod_names *ret);

#endif
