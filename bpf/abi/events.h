/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * events.h - the kinds of events that make samples: the rows of bpf/events.def.
 */
#ifndef PYPERF_BPF_ABI_EVENTS_H
#define PYPERF_BPF_ABI_EVENTS_H

enum event_kind {
#define EVENT(name, ...) EVENT_##name,
#include "bpf/events.def"
#undef EVENT
	EVENT_KINDS
};

#define EVENT_BIT(kind) (1U << (kind))
#define EVENTS_ALL	(EVENT_BIT(EVENT_KINDS) - 1)

_Static_assert(EVENT_KINDS < 32, "a set of kinds of events is a __u32");

/* What a wait of a thread can end in, as a frame: rows of bpf/waits.def. */
enum wait_cause {
#define WAIT(name, ...) WAIT_##name,
#include "bpf/waits.def"
#undef WAIT
	WAIT_CAUSES
};

/* What the interpreter was doing at a tick: rows of bpf/states.def. */
enum state {
#define STATE(name, key, value, help) STATE_##name,
#include "bpf/states.def"
#undef STATE
	STATES
};

#define STATE_BIT(name) (1U << STATE_##name)

#endif
