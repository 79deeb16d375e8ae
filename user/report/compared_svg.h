/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compared_svg.h - a flame graph of the second profile, coloured by what is more and less in it than in the
 * first one.
 */
#ifndef PYPERF_REPORT_COMPARED_SVG_H
#define PYPERF_REPORT_COMPARED_SVG_H

#include "base/buf.h"
#include "report/compared.h"

/*
 * One file, without a script and without anything from elsewhere. Names of foreign programs cannot do
 * anything in it. 0; -ENOMEM; -E2BIG.
 */
int compared_svg(const struct compared *c, struct buf *out);

#endif
