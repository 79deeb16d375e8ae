/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PYPERF_STATS_EXPORT_STATS_H
#define PYPERF_STATS_EXPORT_STATS_H

#include <linux/types.h>

struct export_stats {
#define EXPORT_STAT(name, help) __u64 name;
#include "stats/export_stats.def"
#undef EXPORT_STAT
};

#endif
