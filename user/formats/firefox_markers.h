/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * firefox_markers.h - what happened in a thread besides its samples, as the Firefox Profiler has it: waits
 * and growth, each of its own, and the times in which all samples of the thread were within an import, or
 * within a collection of garbage.
 */
#ifndef PYPERF_FORMATS_FIREFOX_MARKERS_H
#define PYPERF_FORMATS_FIREFOX_MARKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "profile/events.h"
#include "profile/timeline.h"

struct buf;
struct firefox_stacks;
struct profile;

/* A marker's type is an enum event_kind, or one of these, which stand behind those. */
enum firefox_span { FIREFOX_IMPORT = EVENT_KINDS, FIREFOX_GC, FIREFOX_MARKERS };

/* By its type: its name, what it is called, and what it is in. */
const char *firefox_marker_key(int type);
const char *firefox_marker_title(int type);
bool firefox_marker_tells_holder(int type); /* as event_row has it */

/* Begins as 0. */
struct firefox_markers {
	const struct profile *profile;
	const struct firefox_stacks *stacks;
	bool *imports; /* by the id of a sample, less 1: it is within an import; NULL: there are no spans */
	struct timeline_piece *list; /* of the thread at hand; kind is the marker's type */
	size_t count, capacity;
};

/* timed: pieces of threads are where they were in time. 0 or -ENOMEM. */
int firefox_markers_open(struct firefox_markers *m, const struct profile *p, const struct firefox_stacks *s,
			 bool timed);
void firefox_markers_close(struct firefox_markers *m);
/* Appends "markers":{...} of a thread; pieces of the kind of its samples are none. 0 or -ENOMEM. */
int firefox_markers_write(struct firefox_markers *m, const struct timeline_thread *t, enum event_kind samples,
			  struct buf *out);

#endif
