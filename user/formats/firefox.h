/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * firefox.h - a profile as JSON of the Firefox Profiler (its "processed" format): threads with samples that
 * weigh so many ticks, and waits as markers with their begin and end. Where it is not known when samples were
 * taken (moments.h), those of a thread stand one behind the other, and nothing is a marker.
 */
#ifndef PYPERF_FORMATS_FIREFOX_H
#define PYPERF_FORMATS_FIREFOX_H

#include "base/buf.h"
#include "profile/profile.h"

/* Appends to out. 0, or -ENOMEM, and then out is unchanged. */
int firefox_encode(const struct profile *p, struct buf *out);

#endif
