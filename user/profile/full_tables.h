/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * full_tables.h - how often tables of the kernel side had no room.
 */
#ifndef PYPERF_PROFILE_FULL_TABLES_H
#define PYPERF_PROFILE_FULL_TABLES_H

#include <linux/types.h>

struct cpu_stats;

enum full_table {
#define FULL_TABLE(stat, what, advice) FULL_TABLE_##stat,
#include "profile/full_tables.def"
#undef FULL_TABLE
	FULL_TABLES
};

struct full_table_row {
	const char *stat, *what, *advice; /* as the list has them */
};

extern const struct full_table_row full_table_rows[FULL_TABLES];

/* Since the start of the run, from the counters. */
void full_tables_count(const struct cpu_stats *sum, __u64 ret[FULL_TABLES]);

#endif
