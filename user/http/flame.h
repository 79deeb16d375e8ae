/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flame.h - /flamegraph.json: the profile of the last interval in the form of profile/flamegraph.h. The
 * client's query selects samples by their labels. Making one takes time in which nobody else is served, so it
 * is made once for each profile and query, and queries that differ get a tenth of the time.
 */
#ifndef PYPERF_HTTP_FLAME_H
#define PYPERF_HTTP_FLAME_H

#include <stddef.h>

#include "http/answer.h"
#include "profile/filter.h"

struct recent;

#define FLAME_ROWS	    8	/* answers that are kept, beside the one without a filter */
#define FLAME_SHARE	    0.1 /* of the time, for answers with a filter ... */
#define FLAME_SECONDS_SAVED 1.0 /* ... of which so many seconds may be spent at once */

/* All zero: there is none yet. */
struct flame {
	unsigned long of; /* recent's serial number of the profile that all answers are of */
	struct MHD_Response *whole;
	struct {
		struct profile_filter filter;
		struct MHD_Response *response; /* NULL: it is free */
	} rows[FLAME_ROWS];
	size_t next;   /* row to be replaced */
	double spent;  /* seconds that are not made up for yet ... */
	double looked; /* ... at this time, CLOCK_MONOTONIC */
};

enum MHD_Result flame_answer(struct flame *f, const struct recent *recent, const struct client *c);
/* Forgets all answers. */
void flame_forget(struct flame *f);

#endif
