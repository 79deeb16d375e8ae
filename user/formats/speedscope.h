/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * speedscope.h - a profile as JSON of speedscope (its file-format-schema.json, "sampled"). Each thread, or
 * each process where profiles are kept so, is a profile of its own, once for each kind of event that it has.
 * There stacks that begin alike stand side by side. Where it is known when something happened (moments.h),
 * profiles that show each thread as time passes ("evented") come before these.
 */
#ifndef PYPERF_FORMATS_SPEEDSCOPE_H
#define PYPERF_FORMATS_SPEEDSCOPE_H

#include "base/buf.h"
#include "profile/profile.h"

/* Appends to out. 0, or -ENOMEM, and then out is unchanged. */
int speedscope_encode(const struct profile *p, struct buf *out);

#endif
