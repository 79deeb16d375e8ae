/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - a process that was looked at, as text for people.
 */
#ifndef PYPERF_DUMP_TEXT_H
#define PYPERF_DUMP_TEXT_H

#include <stdbool.h>

#include "base/buf.h"
#include "dump/dumped.h"

/*
 * Adds the process and its threads, the frame that runs first. A frame that calls itself again and again is
 * written once, with how often. 0 or -ENOMEM.
 */
int dump_text(const struct dumped *d, bool colour, struct buf *out);

/* Parts of it, for others that write about processes (0 or -ENOMEM): a process, and how much it has, */
int text_process(const struct dumped *d, bool colour, __u32 count, const char *what, struct buf *out);
/* ... a line for a frame, ... */
int text_frame(const struct code_line *line, int indent, struct buf *out);
/* ... and what makes a terminal write boldly and plainly; "" without colour. */
const char *text_bold(bool colour);
const char *text_plain(bool colour);

#endif
