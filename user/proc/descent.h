/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * descent.h - who is whose parent among the processes of one moment, and who descends from whom. A process
 * whose parent has ended is nobody's descendant.
 */
#ifndef PYPERF_PROC_DESCENT_H
#define PYPERF_PROC_DESCENT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct descent_member;

/* All 0 at first. */
struct descent {
	struct descent_member *members; /* by their pid */
};

/* Reads who its parent is. One that has ended is left out. 0 or -ENOMEM. */
int descent_add(struct descent *d, pid_t pid);
/* Of which it is known already. 0 or -ENOMEM. */
int descent_set(struct descent *d, pid_t pid, pid_t parent);
void descent_free(struct descent *d);

/* Whether it is a child of one of these processes, or a child's child and so on, and none of them itself. */
bool descent_is_below(const struct descent *d, const pid_t *pids, size_t count, pid_t pid);
/*
 * Calls fn for each process that is now below these, in the order of /proc. When fn returns something other
 * than 0, that ends it and is returned. Else 0 or -errno.
 */
int descent_each_below(const pid_t *pids, size_t count, int (*fn)(void *context, pid_t pid), void *context);

#endif
