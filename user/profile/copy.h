/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * copy.h - samples of one profile into another one, with the frames that they need and no others.
 */
#ifndef PYPERF_PROFILE_COPY_H
#define PYPERF_PROFILE_COPY_H

#include "profile/profile.h"

struct copier;

/* `from` must not change while the copier lives. 0 or -ENOMEM. */
int copier_new(struct copier **ret, const struct profile *from);
void copier_free(struct copier *c);
/* From now on frames of native code are left out (frame_is_native()). */
void copier_hide_native(struct copier *c);
/* From now on copies go to this profile, which must be empty. */
void copier_begin(struct copier *c, struct profile *to);
/*
 * Adds a sample of `from`, with these labels in place of its own, and with its counts of the kinds of events
 * that `to` is of. 0 or -ENOMEM.
 */
int copier_add(struct copier *c, const struct profile_stack *sample, const struct profile_labels *labels);

static inline void copier_cleanup(struct copier **c)
{
	copier_free(*c);
}

#define _cleanup_copier_ _cleanup_(copier_cleanup)

#endif
