/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * books.h - what became of each event, by kind: every kind has books of its own, in its own unit, which add
 * up to the total of that kind. And the rows of stats.def, for the report and the metrics.
 */
#ifndef PYPERF_STATS_BOOKS_H
#define PYPERF_STATS_BOOKS_H

#include "profile/events.h"

struct stat_row {
	const char *id;
	const char *help;
	size_t offset; /* of its __u64 in struct cpu_stats */
};

extern const struct stat_row stat_rows[];
extern const size_t stat_row_count;

#define OUTCOME_ID_MAX 32

/* The name of a row in JSON and metrics, into text. Returns text. */
const char *outcome_id(enum outcome outcome, char text[OUTCOME_ID_MAX]);
const char *native_id(enum native_end end, char text[OUTCOME_ID_MAX]);
/* Samples whose native part was looked for: all in the profile with --native, 0 without. */
__u64 native_total(const struct cpu_stats *sum);
/* "whole", "named", "marked" or "outside". */
const char *place_name(enum outcome_place place);

__u64 stat_value(const struct cpu_stats *sum, size_t offset);

/* Events that are accounted for, by place, in the unit of their kind. */
struct books {
	__u64 total, in_profile, outside;
};

struct books books_of(const struct cpu_stats *sum, enum event_kind kind);

#define BOOKS_WORDS_MAX 512

/*
 * What is in profiles by now, of each kind in events (EVENT_BIT()s), for people: "1,234 samples, 45.20 s
 * waiting". Into text, which it returns.
 */
const char *books_in_words(const struct cpu_stats *sum, __u32 events, char text[BOOKS_WORDS_MAX]);

#endif
