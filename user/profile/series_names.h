/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * series_names.h - which series users have had at a receiver, so that nobody makes new ones without end: each
 * is kept and paid for there. A user has so many at once, and then one more every few seconds. One that was
 * there lately is no new one. The caller has the clock.
 */
#ifndef PYPERF_PROFILE_SERIES_NAMES_H
#define PYPERF_PROFILE_SERIES_NAMES_H

#include <stdbool.h>
#include <linux/types.h>

#define SERIES_AT_ONCE	    128	  /* new ones of a user, when it has had none for long */
#define SERIES_NEXT_SECONDS 15	  /* until it may have one more */
#define SERIES_KEPT_SECONDS 600	  /* that no interval had it: then it is a new one again */
#define SERIES_NAMES_MAX    16384 /* of all users; the oldest of the one who has most makes room */

struct series_names;

int series_names_new(struct series_names **ret); /* 0 or -ENOMEM */
void series_names_free(struct series_names *s);	 /* NULL is fine */

/* What comes next is of an interval that ended at this second of some clock that is never put back. */
void series_names_begin(struct series_names *s, double now);
/* Whether the user may have the series with this hash, which it then has. Not if there is no memory. */
bool series_names_take(struct series_names *s, __u64 user, __u64 hash);
/* So many series had to go without a name. The sum of these. */
void series_names_leave(struct series_names *s, __u64 count);
__u64 series_names_left(const struct series_names *s);

#endif
