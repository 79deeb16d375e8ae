/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * event_rows.h - the rows of bpf/events.def as a table: what each kind of event is called and counts, what it
 * needs, and what the kinds mean to each other. The kernel side reads it at places that the compiler knows,
 * so that no part of the table is in the program.
 */
#ifndef PYPERF_BPF_ABI_EVENT_ROWS_H
#define PYPERF_BPF_ABI_EVENT_ROWS_H

#include "bpf/abi/events.h"
#include "bpf/abi/stats.h"
#include "bpf/abi/types.h"

enum event_unit { UNIT_COUNT, UNIT_NANOSECONDS, UNIT_BYTES };

/* What has to run so that events of a kind come: rows of bpf/needs.def. */
enum event_need {
#define NEED(name, help) NEED_##name,
#include "bpf/needs.def"
#undef NEED
};

/* Sets of them. */
enum event_needs {
#define NEED(name, help) NEEDS_##name = 1 << NEED_##name,
#include "bpf/needs.def"
#undef NEED
};

/* What a kind has to do with wall time, which is a sum of others. */
enum event_wall {
	WALL_NOT,
	WALL_ALWAYS,	 /* a part of it, that is measured for it */
	WALL_WHEN_ASKED, /* a part of it if it is asked for besides; else its time is in another part */
	WALL_SUM,	 /* the sum itself: no event is of this kind */
};

/* No text is NULL but empty, asked, former and by_cycles. */
struct event_row {
	/* What it counts. */
	const char *key;	/* its name for people and programs */
	enum event_unit unit;	/* of its counts in the tree and in its books */
	const char *type;	/* sample type of its counts in pprof; the unit stands beside it */
	const char *period;	/* sample type of the time, in ns, that its counts stand for; "" = for none */
	const char *total_name; /* TOTAL(): the row of stats.def that its books add up to, ... */
	unsigned int total;	/* ... and where that is in struct cpu_stats */
	unsigned int books;	/* enum outcome_group bits: which rows of outcomes.def are in its books */

	/* How it is shown. */
	const char *prefix;   /* before "outcomes", the name of its books in JSON and metrics */
	const char *series;   /* the name of what is pushed */
	const char *noun;     /* what one of it is called; its books say what became of each */
	const char *resource; /* what it is time, or bytes, of */
	const char *help;     /* what happens, for docs/events.md */
	const char *empty;    /* what a profile of it alone says when it has nothing; NULL: as all others */

	/* How it is asked for, and what it needs. */
	const char *asked;     /* --event key asks for it, and --help says this; NULL: it only comes along */
	const char *former;    /* its name in --event in earlier versions, which is still taken; or NULL */
	const char *by_cycles; /* its name in --event that asks for ticks of the CPU's cycles; or NULL */
	unsigned int comes_with; /* EVENT_BIT()s of kinds; whoever asks for one of them gets this one, too */
	unsigned int made_of;	 /* EVENT_BIT()s of kinds that are measured for it, asked for or not */
	unsigned int needs;	 /* enum event_needs bits: what has to run so that its events come */

	/* What its stacks are. */
	_Bool tells_holder; /* the newest frames are what another thread did, which had what this one wants */

	/* What it has to do with other kinds. */
	unsigned int below; /* EVENT_BIT()s of kinds whose roots it shares; waits.def tells nodes apart */
	enum event_wall wall;
};

/* By enum event_kind. */
static const struct event_row event_rows[EVENT_KINDS] = {
#define TOTAL(name) .total_name = #name, .total = __builtin_offsetof(struct cpu_stats, name)
#define EVENT(name, ...) [EVENT_##name] = { __VA_ARGS__ },
#include "bpf/events.def"
#undef EVENT
#undef TOTAL
};

/* What the outcomes in the books of a kind add up to. */
static inline __u64 *event_total(struct cpu_stats *stats, enum event_kind kind)
{
	return (__u64 *)((char *)stats + event_rows[kind].total);
}

/*
 * Whether events of this kind are ticks of a clock. They find a thread that runs, and what the interpreter
 * was doing then is said of them (bpf/states.def).
 */
static inline __attribute__((always_inline)) int event_is_tick(__u32 kind)
{
	return 0
#define EVENT(name, ...) || (kind == EVENT_##name && event_rows[EVENT_##name].needs & NEEDS_TICKS)
#include "bpf/events.def"
#undef EVENT
		;
}

#endif
