/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * duration.h - how long something is, as people write it: "10s", "1.5m", "1h30m".
 */
#ifndef PYPERF_BASE_DURATION_H
#define PYPERF_BASE_DURATION_H

/* What a message says of them. */
#define DURATION_EXAMPLES "10s, 1.5m or 1h"

/*
 * Seconds: numbers that are followed by a unit each, us, ms, s, m, h or d; or one number without, of this
 * many seconds. bare = 0: a unit is needed. 0; -EINVAL, and *ret is as it was.
 */
int duration_parse(const char *text, double bare, double *ret);

#endif
