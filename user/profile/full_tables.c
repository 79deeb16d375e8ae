// SPDX-License-Identifier: GPL-2.0-only
#include "profile/full_tables.h"

#include "bpf/abi.h"

const struct full_table_row full_table_rows[FULL_TABLES] = {
#define FULL_TABLE(stat, what, advice) { #stat, what, advice },
#include "profile/full_tables.def"
#undef FULL_TABLE
};

void full_tables_count(const struct cpu_stats *sum, __u64 ret[FULL_TABLES])
{
#define FULL_TABLE(stat, what, advice) ret[FULL_TABLE_##stat] = sum->stat;
#include "profile/full_tables.def"
#undef FULL_TABLE
}
