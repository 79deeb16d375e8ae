/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * graph_lines.h - how much of a profile was at each line of each function, for the page (graph.h).
 */
#ifndef PYPERF_VIEWS_GRAPH_LINES_H
#define PYPERF_VIEWS_GRAPH_LINES_H

#include "base/buf.h"
#include "views/graph_tables.h"

/*
 * Appends ,"lines":{"function":[...],"line":[...],"self":[...],"total":[...]}: the function's place in t,
 * what was counted for the line itself, and what it called, too; a stack counts once. Lines that are not
 * known are not there. 0 or -ENOMEM; -ECANCELED as graph_encode_until().
 */
int graph_add_lines(struct graph_tables *t, const bool *stop, struct buf *out);

#endif
