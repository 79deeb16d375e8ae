/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timed.h - a profile of an interval with what only the log of samples knows of it: when each sample was
 * taken, and in which span of a trace. The amounts that the log does not have stay those of the profile.
 */
#ifndef PYPERF_PROFILE_TIMED_H
#define PYPERF_PROFILE_TIMED_H

#include <stdbool.h>

struct profile;

/* Whether the log has a time for all that such a profile is of: wall time is a sum that has none. */
bool timed_can_be(const struct profile *p);
/*
 * Makes a profile with the samples, labels and moments of `log`, as far as they are of the kinds of `p`; that
 * is of the same time. Whatever else is said is said as by p. Where CPU time is that of the kernel's account,
 * the samples of a thread share what p has for it; what that has of threads of which the log has no tick are
 * samples without one. 0 or -ENOMEM.
 */
int timed_make(const struct profile *p, const struct profile *log, struct profile **ret);

#endif
