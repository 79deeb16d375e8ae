/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process_room.h - who makes room in the kernel side's table of processes when it is full: first programs
 * that are no Python, then the user who has most of it, down to equal shares.
 */
#ifndef PYPERF_KERN_PROCESS_ROOM_H
#define PYPERF_KERN_PROCESS_ROOM_H

#include <linux/types.h>

#include "kern/refusals.h"

struct table;

/*
 * For whom there was no room lately. It begins as 0. The search reads all of the table, and thousands of
 * processes of one user may ask for a place at once; others are not to wait for that.
 */
struct process_room {
	struct refusals refused;
};

/*
 * Takes entries away, so that a process of this user finds room: a sixteenth of the table, of programs that
 * are no Python. If there are none, the user who has most gives up its newest processes, as many at once, or
 * half of what it has more than this one, if that is less. The kernel side asks about all of them again when
 * they run. Returns how many there were; 0 if nobody is to make room; or -errno.
 */
int process_room_make(struct process_room *r, const struct table *t, __u64 user);

#endif
