/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * html.h - a profile as one file that a browser shows without a server and without a network: the graph of
 * the page, with its scripts, and the table of nodes (graph.h) of each kind of event.
 */
#ifndef PYPERF_FORMATS_HTML_H
#define PYPERF_FORMATS_HTML_H

#include "base/buf.h"
#include "profile/profile.h"

/* Appends to out. 0, or -ENOMEM, and then out is unchanged. */
int html_encode(const struct profile *p, struct buf *out);

#endif
