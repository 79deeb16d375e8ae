/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tasks_json.h - the asyncio tasks of a process as JSON for programs.
 */
#ifndef PYPERF_DUMP_TASKS_JSON_H
#define PYPERF_DUMP_TASKS_JSON_H

#include "base/buf.h"
#include "dump/dumped.h"

/* Adds an object for the process. docs/asyncio.md says what its members are. 0 or -ENOMEM. */
int tasks_json(const struct dumped *d, struct buf *out);

#endif
