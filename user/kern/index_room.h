/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * index_room.h - room in the tables whose entries processes name by a number. An entry is free again once no
 * process has its number. A user may have as many of a table as are left for others (base/fair.h): whoever
 * forges one for each process keeps nobody else out.
 */
#ifndef PYPERF_KERN_INDEX_ROOM_H
#define PYPERF_KERN_INDEX_ROOM_H

#include <linux/types.h>

#include "kern/refusals.h"

struct table;

enum index_kind {
	INDEX_LAYOUT,	/* struct process.layout */
	INDEX_TASKS,	/* .tasks */
	INDEX_CONTEXTS, /* .contexts */
};

/* All zero at first. */
struct index_room {
	__u64 full; /* times that there was none */
	struct refusals refused;
};

/*
 * The index of an entry for a process of this user: the next one, where so many were used before, then one
 * that no process of the table has. -ENOSPC if there is none, or the user has its share; or another -errno.
 */
int index_room_find(struct index_room *r, const struct table *processes, enum index_kind kind, __u32 used,
		    __u64 user);

#endif
