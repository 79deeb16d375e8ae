/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * otlp_times.h - when the samples of a profile were taken (moments.h), as OTLP has it: each value of a sample
 * with a time of its own. Ticks that the profile has as a run are a value each.
 */
#ifndef PYPERF_FORMATS_OTLP_TIMES_H
#define PYPERF_FORMATS_OTLP_TIMES_H

#include <stdbool.h>
#include <linux/types.h>

#include "profile/moments.h"

struct profile;

/* Begins as 0. */
struct otlp_times {
	const struct profile *profile;
	struct sorted_moments moments; /* none: a value of the profile has no time */
};

/*
 * Finds the times. There are none unless all that is in the profile has one, within the profile's time: OTLP
 * wants the samples of a profile alike. 0 or -ENOMEM.
 */
int otlp_times_open(struct otlp_times *t, const struct profile *p);
void otlp_times_close(struct otlp_times *t);
bool otlp_times_are_there(const struct otlp_times *t);

/* Who gets them. */
struct otlp_times_taker {
	int (*take)(void *context, __s64 value, __u64 unix_ns);
	void *context;
};

/*
 * Gives each value that a sample has of a kind of event: `scale` times what was counted, or with scale 0 the
 * CPU time that the account says. 0 or what take() has returned.
 */
int otlp_times_give(const struct otlp_times *t, __u32 sample, __u32 kind, __u64 scale,
		    const struct otlp_times_taker *to);

#endif
