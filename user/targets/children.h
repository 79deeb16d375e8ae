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

/*
 * Selects each descendant of these processes and asks the worker about it. Those that the kernel side knows
 * already stay as they are. A process whose parent has ended is nobody's descendant. To be called when the
 * kernel side follows forks already, so that no child is missed between the two. 0 or -errno.
 */
int children_select(struct kernel *kernel, struct discover *discover, const pid_t *pids, size_t count);

#endif
