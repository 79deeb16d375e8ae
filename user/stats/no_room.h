/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * no_room.h - warns when a table of the kernel side has no room (profile/full_tables.def): once for each.
 */
#ifndef PYPERF_STATS_NO_ROOM_H
#define PYPERF_STATS_NO_ROOM_H

#include "base/complaint.h"
#include "profile/full_tables.h"

struct kernel;

/* All 0 at first. */
struct no_room {
	struct complaint full[FULL_TABLES];
};

/* To be called now and then, and once at the end of the run. */
void no_room_check(struct no_room *n, const struct kernel *k);

#endif
