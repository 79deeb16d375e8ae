// SPDX-License-Identifier: GPL-2.0-only
#include "stats/no_room.h"

#include "kern/stats.h"

void no_room_check(struct no_room *n, const struct kernel *k)
{
	__u64 times[FULL_TABLES];
	struct kernel_stats stats;

	kernel_stats(k, &stats);
	full_tables_count(&stats.sum, times);
	for (int i = 0; i < FULL_TABLES; i++) {
		const struct full_table_row *row = &full_table_rows[i];

		if (times[i] && *row->advice)
			complain(&n->full[i], "%llu %s; %s (--stats: %s)", times[i], row->what, row->advice,
				 row->stat);
	}
}
