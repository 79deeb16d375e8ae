/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flamegraph.h - a profile as the tree that a flame graph draws, in the JSON of d3-flame-graph:
 *
 *   {"name": "all", "value": 99, "values": "samples", "seconds": 10.0, "start": 1790000000,
 *    "kinds": [{"kind": "python", "colour": "#e8764b", "shown": "Python code"}, ...], "children":
 *     [{"name": "python3 (pid 12)", "value": 99, "children":
 *       [{"name": "work", "file": "/srv/app.py:7", "value": 42, "children": [...]},
 *        {"name": "[truncated]", "kind": "marker", "value": 3, "children": [...]}]}]}
 *
 * What the values are of is in bpf/events.def, kinds are the rows of bpf/frames.def; a frame without one is
 * of the first. A value is the samples of a frame with all below it. A frame is a function, whichever line it
 * is at. What is narrower than FLAMEGRAPH_PARTS-th of the whole is left out: it could not be seen.
 */
#ifndef PYPERF_PROFILE_FLAMEGRAPH_H
#define PYPERF_PROFILE_FLAMEGRAPH_H

#include "base/buf.h"
#include "profile/profile.h"

#define FLAMEGRAPH_PARTS 4000

/* Appends to out. -ENOMEM; out is unchanged by a failure. */
int flamegraph_encode(const struct profile *p, struct buf *out);

#endif
