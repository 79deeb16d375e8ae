/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * selection.h - which processes are profiled, of all that could be: by name, cgroup and container. Decided
 * once for a process image, when it is discovered; the kernel side then knows.
 */
#ifndef PYPERF_TARGETS_SELECTION_H
#define PYPERF_TARGETS_SELECTION_H

#include <stdbool.h>

#include "proc/container.h"

/*
 * Lists of globs with commas between; NULL = no condition. '*' matches a '/' too. All conditions must hold.
 */
struct selection {
	const char *comm, *exclude_comm;
	const char *cgroup, *exclude_cgroup; /* whole path, as this process sees it */
	const char *container;		     /* name, or the first digits of the id */
	const char *pod, *namespace;
};

/* Whether it is such a list: no empty glob, none longer than 255 bytes. */
bool selection_is_list(const char *globs);
bool selection_takes(const struct selection *s, const char *comm, const struct container *c);

#endif
