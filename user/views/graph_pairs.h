/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * graph_pairs.h - what the stacks of a profile say in two places, for the page's tables of waits, of the GIL,
 * of growth and of tasks (graph.h): the line that has the time, and what explains it.
 */
#ifndef PYPERF_VIEWS_GRAPH_PAIRS_H
#define PYPERF_VIEWS_GRAPH_PAIRS_H

#include "base/buf.h"
#include "views/graph_tables.h"

/*
 * Appends ,"pairs":{"owner":[...],"package":[...],"function":[...],"other":[...],"line":[...],
 * "other_line":[...],"self":[...]}: places in t, and the sum of the stacks of each pair. Function and line
 * are those whose time it is, by own_time.h; "package" is the function whose package the stack ran code of.
 * The other is, of what there is, the first one:
 *   of a wait for the GIL the line that waits, and nothing else. Function and line are the holder's then, or
 *   its marker;
 *   why the thread did not run, that it waited for the GIL, or its system call;
 *   the nearest caller that is of no package and not of the standard library.
 * -1 stands for none, and a line of 0 is not known. 0 or -ENOMEM; -ECANCELED as graph_encode_until().
 */
int graph_add_pairs(struct graph_tables *t, const bool *stop, struct buf *out);

#endif
