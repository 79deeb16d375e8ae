/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * children.h - the descendants that a selected process has already. Those to come are followed in the kernel.
 */
#ifndef PYPERF_TARGETS_CHILDREN_H
#define PYPERF_TARGETS_CHILDREN_H

#include <stddef.h>
#include <sys/types.h>

struct discover;
struct kernel;

/*
 * Selects each descendant of these processes and asks about it; those that are selected already stay as they
 * are. Call when forks are followed, so that none slips between. A process whose parent has ended is nobody's
 * descendant.
 */
int children_select(struct kernel *kernel, struct discover *discover, const pid_t *pids, size_t count);

#endif
