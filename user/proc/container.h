/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * container.h - the container and pod that a process is in: read from /proc and from the kubelet's folder of
 * logs.
 */
#ifndef PYPERF_PROC_CONTAINER_H
#define PYPERF_PROC_CONTAINER_H

#include <sys/types.h>

#include "proc/cpu_quota.h"
#include "proc/pods.h"

/*
 * Plain data without pointers: it travels between processes. Strings are NUL-terminated; "" = none, or
 * unknown.
 */
struct container {
	struct cgroup cgroup;
	struct pod_names names;
	struct cpu_quota quota;
};

/*
 * Reads what is known of the process. What cannot be read is "". pods may be NULL: then nothing has a name.
 */
void container_read(pid_t pid, struct pods *pods, struct container *ret);

#endif
