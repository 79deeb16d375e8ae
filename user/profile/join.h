/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * join.h - several profiles of one run as one, as of intervals that follow each other.
 */
#ifndef PYPERF_PROFILE_JOIN_H
#define PYPERF_PROFILE_JOIN_H

#include "profile/profile.h"

/*
 * Makes a new one of all samples. It begins when the first one did and lasts as long as all of them together;
 * a sample stands for what samples stand for on average. When samples were taken is not in it. 0; -EINVAL if
 * there is none, or one of a kind that the first one is not of; -ENOMEM.
 */
int profile_join(const struct profile *const *parts, size_t count, struct profile **ret);

#endif
