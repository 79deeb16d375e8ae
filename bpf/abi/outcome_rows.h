/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * outcome_rows.h - the rows of bpf/outcomes.def as a table: in whose books each end of an event is, where its
 * sample is to be found, and how it is shown. The kernel side reads it at places that the compiler knows, so
 * that no part of the table is in the program.
 */
#ifndef PYPERF_BPF_ABI_OUTCOME_ROWS_H
#define PYPERF_BPF_ABI_OUTCOME_ROWS_H

#include "bpf/abi/stats.h"
#include "bpf/abi/types.h"

enum outcome_place {
	PLACE_WHOLE,  /* in the profile, nothing missing */
	PLACE_NAMED,  /* in the profile, nothing missing, with its frame in the place of Python code */
	PLACE_MARKED, /* in the profile, with its frame as a marker */
	PLACE_OUTSIDE, /* not in the profile */
};

struct outcome_row {
	const char *name;	  /* upper case: outcome_id() of stats/books.h is for others */
	enum outcome_group group; /* events.def says which are in the books of a kind */
	enum outcome_place place;
	const char *text;  /* SHOWN(): how it is called, ... */
	const char *frame; /* ... and the frame that stands for it, which is that in brackets */
	const char *help;  /* for docs/outcomes.md */
};

/* By enum outcome. */
static const struct outcome_row outcome_rows[OUTCOME_COUNT] = {
#define SHOWN(shown)	     .text = shown, .frame = "[" shown "]"
#define OUTCOME(row, ...) [OUTCOME_##row] = { .name = #row, __VA_ARGS__ },
#include "bpf/outcomes.def"
#undef OUTCOME
#undef SHOWN
};

/* Whether a sample that ends so is in the profile, by its place there. */
static inline int outcome_is_in_profile(__u32 outcome)
{
	const __u64 inside = 0
#define OUTCOME(row, ...) | (__u64)(outcome_rows[OUTCOME_##row].place != PLACE_OUTSIDE) << OUTCOME_##row
#include "bpf/outcomes.def"
#undef OUTCOME
		;

	return outcome < OUTCOME_COUNT && inside >> outcome & 1;
}

#endif
