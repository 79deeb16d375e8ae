/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * graph.h - a profile as the page gets it: a table of nodes, in JSON. A column is a list, and a text is there
 * once, so that a node takes some ten bytes and a million of them can be sent:
 *
 *   {"schema": "pyperf-bpf.graph/1", "event": "cpu", "type": "samples", "unit": "count", "total": 99,
 *    "samples": 99, "seconds": 10.000, "start": 1790000000.500, "kinds": [{"kind": "python", ...}, ...],
 *    "strings": ["", "python3", "work", "/srv/app.py", ...],
 *    "owners": {"pid": [12], "comm": [1], "endpoint": [...], ...},
 *    "functions": {"name": [2, ...], "file": [3, ...], "line": [7, ...], "kind": [0, ...],
 *      "package": [0, ...], "own": [2, ...]}, "packages": ["program", "stdlib", ...],
 *    "nodes": {"depth": [0, 1, 2, 1, ...], "of": [0, 0, 4, 2, ...], "self": [0, 42, 3, 54, ...]},
 *    "left_out": {"nodes": 0, "value": 0},
 *    "lines": {"function": [0, ...], "line": [9, ...], "self": [42, ...], "total": [45, ...]},
 *    "pairs": {"owner": [0, ...], ...}}    of what is no ticks: graph_pairs.h
 *
 * A node stands below the nearest one before it that is less deep. At depth 0 it is an owner, whoever the
 * stacks below are of, else a function, whichever line it is at. "of" is the place in that table. "self" is
 * what ended there; what a node called has values of its own. Owners have a column for each label that any of
 * them has; texts are places in "strings", as are the names and files of functions; a package of -1 is none;
 * "own" is enum own_time of own_time.h: whether a stack's time may be the function's.
 * "type" is the sample type of pprof that the values are of, "samples" how many samples those are, where they
 * were taken by chance. Of a profile of more than GRAPH_NODES_MAX nodes the smallest are left out, and a
 * function "[left out]" has their values.
 */
#ifndef PYPERF_VIEWS_GRAPH_H
#define PYPERF_VIEWS_GRAPH_H

#include <stdbool.h>

#include "base/buf.h"
#include "profile/profile.h"

#define GRAPH_NODES_MAX 1000000

/*
 * Appends to out. For a thread, which another one can stop: -ECANCELED, soon after *stop has become true;
 * NULL: it runs to its end. 0; or -ENOMEM, and then out is unchanged.
 */
int graph_encode_until(const struct profile *p, const bool *stop, struct buf *out);
/* The same of at most so many nodes. */
int graph_encode_most(const struct profile *p, const bool *stop, __u32 most, struct buf *out);

#endif
