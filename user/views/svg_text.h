/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * svg_text.h - names of foreign programs as text of XML, in which they can do nothing.
 */
#ifndef PYPERF_VIEWS_SVG_TEXT_H
#define PYPERF_VIEWS_SVG_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/*
 * Appends at most so many columns of text to out: a path loses its beginning, a name its end. scratch: of the
 * caller, who keeps it from one text to the next. 0; -ENOMEM.
 */
int svg_text(struct buf *out, struct buf *scratch, const char *text, size_t columns, bool is_path);

#endif
