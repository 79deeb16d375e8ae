/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * generation.h - when the call tree is nearly full, or names and ended processes take too much memory: every open
 * window takes what was counted, then the tables and all that names their entries begin anew. No count is lost.
 */
#ifndef PYPERF_AGENT_GENERATION_H
#define PYPERF_AGENT_GENERATION_H

#include <stdbool.h>

#include "agent/discover.h"
#include "agent/window.h"

/* All but the last two are borrowed. Zero them. */
struct generation {
	struct kernel *kernel;
	struct codes *codes;
	struct registry *registry;
	struct discover *discover;
	struct windows *windows;
	size_t codes_bytes_max; /* of the code store: it is emptied before it is full */
	size_t processes_before; /* in the registry when this generation began */
	__u64 count;		 /* of new generations so far */
	double names_end;	 /* one is under way: at most this long for names, CLOCK_MONOTONIC; 0 = none is */
	bool failing;		 /* said, and not over yet */
};

/* Now and then, once a second: true if it is time, and then the ring buffer is to be read next. */
bool generation_due(struct generation *g);
/* Milliseconds until generation_renew() has something to do in any case, -1 = it has not. */
int generation_timeout_ms(const struct generation *g);
/* Makes it, if one is under way; names_missing: unless time is up, names are on their way. Logs. */
void generation_renew(struct generation *g, bool names_missing);

#endif
