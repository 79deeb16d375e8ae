/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * copy.h - samples of one profile into another one, with the frames that they need and no others.
 */
#ifndef PYPERF_PROFILE_COPY_H
#define PYPERF_PROFILE_COPY_H

#include "profile/profile.h"

struct copier;

/* from stays as it is while the copier lives. -ENOMEM. */
int copier_new(struct copier **ret, const struct profile *from);
void copier_free(struct copier *c);
/* From now on copies go to this profile, which has nothing yet. */
void copier_begin(struct copier *c, struct profile *to);
/* Adds a sample of `from` under these labels, with its counts of the kinds that `to` is of. -ENOMEM. */
int copier_add(struct copier *c, const struct profile_stack *sample, const struct profile_labels *labels);

static inline void copier_cleanup(struct copier **c)
{
	copier_free(*c);
}

#define _cleanup_copier_ _cleanup_(copier_cleanup)

#endif
