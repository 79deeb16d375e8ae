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
 * "values" is what the values count, as bpf/events.def has it. The kinds are the rows of bpf/frames.def, with
 * "native": true where frame_is_native(); a frame without a kind is of the first one. A value is the samples
 * of a frame and of all that it called. A frame is a function, whichever line it is at. What is less than one
 * part in FLAMEGRAPH_PARTS of the whole is left out: it would be too narrow to be seen.
 */
#ifndef PYPERF_PROFILE_FLAMEGRAPH_H
#define PYPERF_PROFILE_FLAMEGRAPH_H

#include <stdbool.h>

#include "base/buf.h"
#include "profile/profile.h"

#define FLAMEGRAPH_PARTS 4000

/* Appends to out. 0, or -ENOMEM, and then out is unchanged. */
int flamegraph_encode(const struct profile *p, struct buf *out);
/*
 * flamegraph_encode() in a thread, which another one can stop: -ECANCELED, soon after *stop has become true.
 * NULL: it runs to its end.
 */
int flamegraph_encode_until(const struct profile *p, const bool *stop, struct buf *out);

#endif
