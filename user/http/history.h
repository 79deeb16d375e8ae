/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * history.h - the profiles of the last intervals, as many as there is room for. One stays as long as somebody
 * reads it, though the history has let it go by then.
 */
#ifndef PYPERF_HTTP_HISTORY_H
#define PYPERF_HTTP_HISTORY_H

#include <stddef.h>

#define HISTORY_MAX	  90	      /* intervals */
#define HISTORY_BYTES_MAX (32UL << 20) /* of all; the newest stays, however large */

struct profile;

struct interval {
	struct profile *profile;
	unsigned long serial; /* each has its own; > 0 */
	unsigned int users;   /* who reads it, and the history */
	size_t bytes;
};

/* All zero is one without intervals. */
struct history {
	struct interval *rows[HISTORY_MAX]; /* the oldest first */
	size_t count;
	size_t bytes;
};

/* Takes the profile over; the oldest go. 0; or -ENOMEM, and the profile is still the caller's. */
int history_add(struct history *h, struct profile *profile, unsigned long serial);
void history_clear(struct history *h);
/* NULL: there is none. */
struct interval *history_newest(const struct history *h);
/*
 * How many intervals have their middle in this time, Unix seconds; to = 0: until now. *ret_first is the place
 * of the first one.
 */
size_t history_find(const struct history *h, double from, double to, size_t *ret_first);

/* From here until interval_put() it stays. */
void interval_get(struct interval *i);
void interval_put(struct interval *i);

#endif
