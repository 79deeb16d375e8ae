/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * children.h - the descendants that a selected process has already. Later ones are followed by the kernel
 * side.
 */
#ifndef PYPERF_TARGETS_CHILDREN_H
#define PYPERF_TARGETS_CHILDREN_H

#include <stddef.h>
#include <sys/types.h>

struct discover;
struct kernel;
struct record_process;

/*
 * Calls fn for each descendant of these processes, those named left out. When fn returns something other
 * than 0, that ends it and is returned. A process whose parent has ended is nobody's descendant. Else 0 or
 * -errno.
 */
int children_each(struct kernel *kernel, const pid_t *pids, size_t count,
		  int (*fn)(void *context, const struct record_process *p), void *context);
/*
 * Selects each descendant of these processes and asks the worker about it. Those that the kernel side knows
 * already stay as they are. To be called when the kernel side follows forks already, so that no child is
 * missed between the two. 0 or -errno.
 */
int children_select(struct kernel *kernel, struct discover *discover, const pid_t *pids, size_t count);

#endif
