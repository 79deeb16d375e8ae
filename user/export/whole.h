/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * whole.h - the one profile of a whole run, and its summary for people.
 */
#ifndef PYPERF_EXPORT_WHOLE_H
#define PYPERF_EXPORT_WHOLE_H

#include <stdbool.h>
#include <stdio.h>

#include "export/output.h"
#include "formats/formats.h"
#include "tree/window.h"

struct whole_options {
	const char *output; /* NULL = no profile is written */
	enum format format;
	long top; /* rows of the summary; 0 = none */
	bool quiet;
	char filters[256]; /* what chose processes, as "--pod 'cart*'"; "" = nothing did */
	bool is_written;   /* the log's file is there instead; only the summary is missing */
	const struct output_patience *patience; /* NULL: writing may take for ever */
};

/* Writes the window's profile, and the summary to f. Logs; 0 or -errno. */
int whole_write(const struct whole_options *o, struct window *window, struct harvest_stats *ret_stats,
		FILE *f);
/* Logs how the profile that was written is opened. */
void whole_say_how_to_open(const struct whole_options *o);

#endif
