/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup.h - which container a process is in, from what /proc says of its cgroups and mounts. It only parses.
 * Runtimes name a cgroup after the container. Where in the hierarchy it is depends on the driver, on the
 * pod's class, and on the cgroup namespace of whoever looks ("/../../kubepods-pod...slice/..."). So it is
 * not looked at where in the path a name is, only after which others.
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
	char path[CGROUP_PATH_SIZE]; /* in the hierarchy that tells most: a container, a pod, not just "/" */
};

/* Parses the text of /proc/PID/cgroup, version 1, 2 or both. Malformed and cut lines are skipped. */
void cgroup_parse(const char *text, struct cgroup *ret);

/* Reads from one of the kubelet's bind mounts for which pod it was made. */
struct pod_mount {
	char pod_uid[POD_UID_SIZE];
	char container[CONTAINER_NAME_SIZE]; /* "" = the mount is the whole pod's */
};

/* Parses one line of /proc/PID/mountinfo. False if it is no such mount. */
bool cgroup_parse_mount(const char *line, struct pod_mount *ret);

/* Whether the text is the uid of a pod. */
bool cgroup_is_pod_uid(const char *text);
/* Whether the text is a DNS name of at most size - 1 characters; dots says whether it may have dots in it. */
bool cgroup_is_name(const char *text, bool dots, unsigned int size);

#endif
