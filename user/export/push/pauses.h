/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pauses.h - when a profile is sent, so that the machines of a fleet do it neither at one moment nor again at
 * one moment. Each draws by a key that nobody else has (base/hash.h).
 */
#ifndef PYPERF_EXPORT_PUSH_PAUSES_H
#define PYPERF_EXPORT_PUSH_PAUSES_H

#include <linux/types.h>

#define PUSH_SPREAD_MAX 60 /* seconds over which a fleet is spread, however long an interval is */

/* All zero is a new one. */
struct push_pauses {
	__u64 drawn;  /* how many numbers were */
	double phase; /* this run's, 0 to 1 */
};

void push_pauses_begin(struct push_pauses *p);
/* Seconds from the end of an interval of that length until what it has is sent; the same for all of a run. */
double push_pauses_phase(const struct push_pauses *p, double interval_seconds);
/* Seconds until the next attempt, after so many: 1, 2, 4 and 8, a quarter more or less. */
double push_pauses_again(struct push_pauses *p, int attempts);
/* Seconds for which a receiver is left alone that wants so many: up to a quarter more. */
double push_pauses_wanted(struct push_pauses *p, double seconds);

#endif
