/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json.h - a process that was looked at, as JSON for programs.
 */
#ifndef PYPERF_DUMP_JSON_H
#define PYPERF_DUMP_JSON_H

#include "base/buf.h"
#include "dump/dumped.h"

/* Adds an object for the process. docs/dump.md says what its members are. 0 or -ENOMEM. */
int dump_json(const struct dumped *d, struct buf *out);

#endif
