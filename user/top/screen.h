/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * screen.h - the page of `pyperf-bpf top`: a head, a table and the keys, as wide and high as the terminal.
 */
#ifndef PYPERF_TOP_SCREEN_H
#define PYPERF_TOP_SCREEN_H

#include <stdbool.h>

#include "base/buf.h"
#include "top/rows.h"

#define SCREEN_FILTER_SIZE 64

struct screen {
	int columns, lines; /* of the terminal */
	bool colour;
	enum top_view view;
	enum top_order order;
	bool compare; /* with the past: a column says by how much a row has changed */
	bool paused;
	bool typing; /* the filter is being typed */
	char filter[SCREEN_FILTER_SIZE];
	int cursor;		  /* the row that is chosen among those shown; -1 = none is */
	const struct top_row *of; /* rows are the lines of this function; NULL = of all */
	/* The facts that the head shows. */
	const char *resource; /* of the kind of event: "CPU" */
	double seconds;	      /* that the numbers are of */
	const char *unit;     /* of what was since the start: "s" */
	double whole_seconds; /* since then */
	double past_seconds;  /* how old those are that it is compared with; 0 = there are none yet */
	size_t processes;     /* Python processes that live */
};

/* Rows of a table that there is room for. */
int screen_room(const struct screen *s);
/* Adds at most as many lines as there are, each ended by "\n". 0 or -ENOMEM. */
int screen_draw(const struct screen *s, const struct top_rows *rows, struct buf *out);

#endif
