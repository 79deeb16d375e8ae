// SPDX-License-Identifier: GPL-2.0-only
#include "profile/events.h"

#include <errno.h>
#include <string.h>

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

static bool is_named(const char *candidate, const char *name, size_t length)
{
	return candidate && strlen(candidate) == length && !memcmp(candidate, name, length);
}

int event_ask(const char *name, size_t length, __u32 *events)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		const struct event_row *e = &event_rows[kind];
		const bool by_cycles = is_named(e->by_cycles, name, length);
		__u32 more = EVENT_BIT(kind);

		if (!e->asked ||
		    (!by_cycles && !is_named(e->key, name, length) && !is_named(e->former, name, length)))
			continue;
		for (int other = 0; other < EVENT_KINDS; other++)
			if (event_rows[other].comes_with & EVENT_BIT(kind))
				more |= EVENT_BIT(other);
		if (*events & more)
			return -EINVAL;
		*events |= more;
		return by_cycles;
	}
	return -EINVAL;
}

/* EVENT_BIT()s of the kinds for which wall time is this. */
static __u32 kinds_by_wall(enum event_wall wall)
{
	__u32 kinds = 0;

	for (int kind = 0; kind < EVENT_KINDS; kind++)
		if (event_rows[kind].wall == wall)
			kinds |= EVENT_BIT(kind);
	return kinds;
}

__u32 event_sums(__u32 events)
{
	return events & kinds_by_wall(WALL_SUM);
}

__u32 event_parts(__u32 events)
{
	__u32 parts = events;

	for (int kind = 0; kind < EVENT_KINDS; kind++)
		if (events & EVENT_BIT(kind))
			parts |= event_rows[kind].made_of;
	return event_sums(events) ? parts | kinds_by_wall(WALL_ALWAYS) : parts;
}

__u32 event_needs(__u32 events)
{
	__u32 needs = 0;

	for (int kind = 0; kind < EVENT_KINDS; kind++)
		if (events & EVENT_BIT(kind))
			needs |= event_rows[kind].needs;
	return needs;
}

__u32 event_walked(__u32 events)
{
	__u32 walked = 0;

	for (int kind = 0; kind < EVENT_KINDS; kind++)
		if (events & EVENT_BIT(kind) && !event_rows[kind].below)
			walked += (event_rows[kind].needs & ~(__u32)NEEDS_TASKS) != 0;
	return walked;
}

__u64 event_wall_ns(enum event_kind kind, __u64 count, __u32 frequency)
{
	const struct event_row *e = &event_rows[kind];

	if (e->wall != WALL_ALWAYS && e->wall != WALL_WHEN_ASKED)
		return 0;
	if (e->unit == UNIT_COUNT)
		return frequency ? count * (1000000000 / frequency) : 0;
	return count;
}

bool event_has_outcome(enum event_kind kind, enum outcome outcome)
{
	return event_rows[kind].books & outcome_rows[outcome].group;
}
