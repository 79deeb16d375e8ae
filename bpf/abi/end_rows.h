/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * end_rows.h - the rows of bpf/waits.def and bpf/natives.def as tables: what stacks end in that is no Python
 * code, and how that is shown. The kernel side has no use for them but their numbers.
 */
#ifndef PYPERF_BPF_ABI_END_ROWS_H
#define PYPERF_BPF_ABI_END_ROWS_H

#include "bpf/abi/events.h"
#include "bpf/abi/native.h"

struct wait_row {
	enum event_kind event; /* what ends in this frame is of that kind */
	const char *text;      /* SHOWN(): why the thread does not run; "" = it is not shown ... */
	const char *frame;     /* ... and the frame that says it, which is that in brackets */
	const char *help;
};

enum native_end_place {
	NATIVE_IS_FRAME,   /* what the text says is the leaf of the stack */
	NATIVE_IS_MARKED,  /* its frame is on the Python frame, and on that what is known of the rest */
	NATIVE_IS_NOTHING, /* the stack ends with its Python frame */
};

struct native_row {
	const char *name; /* upper case: native_id() of stats/books.h is for others */
	enum native_end_place place;
	const char *text;  /* SHOWN(): how it is called, ... */
	const char *frame; /* ... and the frame of those that are marked, which is that in brackets */
	const char *help;  /* for docs/outcomes.md */
};

#define SHOWN(shown) .text = shown, .frame = "[" shown "]"

/* By enum wait_cause. */
static const struct wait_row wait_rows[WAIT_CAUSES] = {
#define WAIT(row, ...) [WAIT_##row] = { __VA_ARGS__ },
#include "bpf/waits.def"
#undef WAIT
};

/* By enum native_end. */
static const struct native_row native_rows[NATIVE_ENDS] = {
#define NATIVE(row, ...) [NATIVE_##row] = { .name = #row, __VA_ARGS__ },
#include "bpf/natives.def"
#undef NATIVE
};

#undef SHOWN

#endif
