/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * svg.h - a flame graph as a picture: whoever ran in the first row, callees below their callers, each as wide
 * as its share. With several kinds of event there is a graph for each, one below the other.
 */
#ifndef PYPERF_FORMATS_SVG_H
#define PYPERF_FORMATS_SVG_H

#include "base/buf.h"
#include "profile/profile.h"

/*
 * One file without a script and without anything from elsewhere. The name, the file, the amount and the share
 * of a frame are its title, which a browser shows at the pointer and a screen reader reads. Appends to out.
 * 0; or -ENOMEM, and out is as it was.
 */
int svg_encode(const struct profile *p, struct buf *out);

#endif
