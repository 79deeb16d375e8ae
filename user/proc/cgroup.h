/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup.h - which container a process is in, from what /proc says of its cgroups and mounts. Pure parsing. Runtimes
 * name a cgroup after the container; where it hangs depends on driver, class and on whose cgroup namespace looks
 * ("/../../kubepods-pod...slice/..."), so only the trailing part counts.
 */
#ifndef PYPERF_PROC_CGROUP_H
#define PYPERF_PROC_CGROUP_H

#include <stdbool.h>

#define CONTAINER_ID_SIZE   65	 /* 64 hexadecimal digits */
#define POD_UID_SIZE	    37	 /* a UUID with dashes, or the 32 hexadecimal digits of a static pod */
#define CONTAINER_NAME_SIZE 64	 /* RFC 1123 label */
#define CGROUP_PATH_SIZE    1024 /* longer paths are cut */

/* Strings are NUL-terminated; "" = none. */
struct cgroup {
	char container_id[CONTAINER_ID_SIZE];
	char pod_uid[POD_UID_SIZE];
	char path[CGROUP_PATH_SIZE]; /* of the hierarchy that tells most: a container, a pod, anything but "/" */
};

/* The text of /proc/PID/cgroup, version 1, 2 or both. Lines that are malformed or cut off tell nothing. */
void cgroup_parse(const char *text, struct cgroup *ret);

/* What a bind mount of the kubelet's tells about the pod that it was made for. */
struct pod_mount {
	char pod_uid[POD_UID_SIZE];
	char container[CONTAINER_NAME_SIZE]; /* "" = it is the whole pod's */
};

/* One line of /proc/PID/mountinfo. False: not such a mount. */
bool cgroup_parse_mount(const char *line, struct pod_mount *ret);

/* Whether it is the uid of a pod, and that of a DNS name of at most size - 1 characters (dots: with dots in it). */
bool cgroup_is_pod_uid(const char *text);
bool cgroup_is_name(const char *text, bool dots, unsigned int size);

#endif
