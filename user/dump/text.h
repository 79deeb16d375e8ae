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

#endif
