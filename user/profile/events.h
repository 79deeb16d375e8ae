/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * events.h - the rows of bpf/events.def: what a kind of event counts, and under which names it is shown.
 */
#ifndef PYPERF_PROFILE_EVENTS_H
#define PYPERF_PROFILE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/abi.h"

enum event_unit { UNIT_COUNT, UNIT_NANOSECONDS, UNIT_BYTES };

/* No text is NULL. */
struct event_row {
	enum event_unit unit;	/* of its counts */
	const char *key;
	const char *type;	/* sample type of its counts in pprof */
	const char *period;	/* sample type of the time they stand for; "" = they stand for none */
	const char *total_name; /* the row of stats.def that its books add up to, ... */
	size_t total;		/* ... and its place in struct cpu_stats */
	const char *prefix, *series, *noun, *resource;
};

/* By enum event_kind. */
extern const struct event_row event_rows[EVENT_KINDS];

#define EVENT_BIT(kind) (1U << (kind))
#define EVENTS_ALL	(EVENT_BIT(EVENT_KINDS) - 1)

_Static_assert(EVENT_KINDS < 32, "a set of kinds of events is a __u32");

/* As in pprof: "count", "nanoseconds", "bytes". */
const char *event_unit_name(enum event_unit unit);
/*
 * What a count of events amounts to for people: seconds, MiB, or just so many; and its unit, "s", "MiB" or
 * "". period_ns: the time that one counted event stands for, if it stands for any.
 */
double event_amount(enum event_kind kind, __u64 count, __u64 period_ns);
const char *event_amount_unit(enum event_kind kind);
/* The kinds that are measured for these: EVENT_WALL is a sum of others. */
__u32 event_parts(__u32 events);
/*
 * What a count of this kind adds to EVENT_WALL, in ns; 0 for what is no part of it. frequency: ticks per
 * second of each CPU; 0 = unknown, and so is what a tick adds.
 */
__u64 event_wall_ns(enum event_kind kind, __u64 count, __u32 frequency);
/* Whether an event of this kind can end so. */
bool event_has_outcome(enum event_kind kind, enum outcome outcome);

#endif
