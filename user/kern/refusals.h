/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * refusals.h - users for whom there was no room a moment ago. To find out again costs a look at the whole
 * table of processes, so whoever asks all the time is answered from here.
 */
#ifndef PYPERF_KERN_REFUSALS_H
#define PYPERF_KERN_REFUSALS_H

#include <stdbool.h>
#include <linux/types.h>

/* All zero at first. Users whose slot is the same push each other out, and are then looked for again. */
struct refusals {
	struct {
		__u64 user, until; /* clock_ns() */
	} slots[64];
};

/* Whether there was no room for this user in the last second. */
bool refusals_has(const struct refusals *r, __u64 user);
void refusals_add(struct refusals *r, __u64 user);

#endif
