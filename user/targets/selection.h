/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * selection.h - which of the Python processes are profiled: by name, cgroup and container. This is decided
 * once for each process image, when it is discovered, and then the kernel side knows it.
 */
#ifndef PYPERF_TARGETS_SELECTION_H
#define PYPERF_TARGETS_SELECTION_H

#include <stdbool.h>

#include "proc/container.h"

/*
 * Each condition is a list of globs with commas between them, in which '*' matches a '/', too. NULL = no such
 * condition. All of them must hold.
 */
struct selection {
	const char *comm, *exclude_comm;
	const char *cgroup, *exclude_cgroup; /* the whole path, as the profiler sees it */
	const char *container;		     /* its name, or the first digits of its id */
	const char *pod, *namespace;
};

/* Whether this is such a list: no glob is empty or longer than 255 bytes. */
bool selection_is_list(const char *globs);
/* Whether all are taken. */
bool selection_takes_all(const struct selection *s);
/* Whether one of this name may be: without a name that is excluded, wherever it runs. */
bool selection_may_take(const struct selection *s, const char *comm);
/* Whether a process of this name, in this container, is to be profiled. */
bool selection_takes(const struct selection *s, const char *comm, const struct container *c);

#endif
