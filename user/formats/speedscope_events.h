/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * speedscope_events.h - a thread of a profile whose moments are known, as speedscope has it: "evented",
 * frames that open and close as time passes.
 */
#ifndef PYPERF_FORMATS_SPEEDSCOPE_EVENTS_H
#define PYPERF_FORMATS_SPEEDSCOPE_EVENTS_H

#include "base/buf.h"
#include "profile/profile.h"
#include "profile/timeline.h"

/* Appends the events, with commas between. A frame is the id of a location, less 1. 0 or -ENOMEM. */
int speedscope_events_add(const struct profile *p, const struct timeline_thread *t, struct buf *out);

#endif
