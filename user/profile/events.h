/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * events.h - what follows from the rows of bpf/events.def (bpf/abi/event_rows.h).
 */
#ifndef PYPERF_PROFILE_EVENTS_H
#define PYPERF_PROFILE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/abi.h"

/* As in pprof: "count", "nanoseconds", "bytes". */
const char *event_unit_name(enum event_unit unit);
/*
 * A count of events as people read it: in seconds, in MiB, or as a number; and that unit, "s", "MiB" or "".
 * period_ns: the time that one counted event stands for, if it stands for any.
 */
double event_amount(enum event_kind kind, __u64 count, __u64 period_ns);
const char *event_amount_unit(enum event_kind kind);
/*
 * Adds to the kinds in *events those that a name in --event asks for. Returns 1 if it asks for ticks of the
 * CPUs' cycles, 0 if not, or -EINVAL: no kind has that name, or one of its kinds was asked for before.
 */
int event_ask(const char *name, size_t length, __u32 *events);
/* The kinds that are measured for these: a sum (WALL_SUM) by its parts, others by what they are made of. */
__u32 event_parts(__u32 events);
/* The kinds among these that are sums. */
__u32 event_sums(__u32 events);
/* enum event_needs bits: what has to run so that events of these kinds come. */
__u32 event_needs(__u32 events);
/* So many of these kinds have stacks that the kernel side walks, each with a cache of its own. */
__u32 event_walked(__u32 events);
/*
 * What a count of this kind adds to wall time, in ns; 0 for what is no part of it. frequency: ticks per
 * second of each CPU; 0 = unknown, and so is what a tick adds.
 */
__u64 event_wall_ns(enum event_kind kind, __u64 count, __u32 frequency);
/* Whether an event of this kind can end so. */
bool event_has_outcome(enum event_kind kind, enum outcome outcome);

#endif
