// SPDX-License-Identifier: GPL-2.0-only
#include "profile/events.h"

const struct event_row event_rows[EVENT_KINDS] = {
#define EVENT(name, key, unit, type, period, total, books, prefix, series, noun, resource, help) \
	[EVENT_##name] = { UNIT_##unit, key,  type,	    period,                               \
			   #total,      offsetof(struct cpu_stats, total), prefix, series, noun, resource },
#include "bpf/events.def"
#undef EVENT
};

/* Groups of outcomes.def, in which events.def says what is in the books of a kind. */
enum { STACK = 1, PROCESS = 2, TICK = 4, FRESH = 8, WAIT = 16, MEMORY = 32, TASK = 64 };

static const unsigned int groups[OUTCOME_COUNT] = {
#define OUTCOME(name, group, place, text, help) [OUTCOME_##name] = group,
#include "bpf/outcomes.def"
#undef OUTCOME
};

static const unsigned int books[EVENT_KINDS] = {
#define EVENT(name, key, unit, type, period, total, books, prefix, series, noun, resource, help) \
	[EVENT_##name] = books,
#include "bpf/events.def"
#undef EVENT
};

const char *event_unit_name(enum event_unit unit)
{
	static const char *const names[] = {
		[UNIT_COUNT] = "count", [UNIT_NANOSECONDS] = "nanoseconds", [UNIT_BYTES] = "bytes"
	};

	return names[unit];
}

double event_amount(enum event_kind kind, __u64 count, __u64 period_ns)
{
	const struct event_row *e = &event_rows[kind];

	if (e->unit == UNIT_COUNT)
		return (double)count * (*e->period ? (double)period_ns / 1e9 : 1);
	return (double)count / (e->unit == UNIT_BYTES ? 1048576 : 1e9);
}

const char *event_amount_unit(enum event_kind kind)
{
	const struct event_row *e = &event_rows[kind];

	return e->unit == UNIT_BYTES ? "MiB" : e->unit == UNIT_COUNT && !*e->period ? "" : "s";
}

__u32 event_parts(__u32 events)
{
	const __u32 wall = EVENT_BIT(EVENT_CPU) | EVENT_BIT(EVENT_OFFCPU) | EVENT_BIT(EVENT_RUNQUEUE);

	return events & EVENT_BIT(EVENT_WALL) ? events | wall : events;
}

__u64 event_wall_ns(enum event_kind kind, __u64 count, __u32 frequency)
{
	if (kind == EVENT_CPU)
		return frequency ? count * (1000000000 / frequency) : 0;
	return kind == EVENT_OFFCPU || kind == EVENT_RUNQUEUE || kind == EVENT_GIL ? count : 0;
}

bool event_has_outcome(enum event_kind kind, enum outcome outcome)
{
	return books[kind] & groups[outcome];
}
