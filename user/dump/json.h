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

/* Its parts, for others that write about processes (0 or -ENOMEM): the start of a process's object, ... */
int json_process(const struct dumped *d, struct buf *out);
/* ... a member of an object, with a comma before it, from at most `limit` bytes that anybody chose, ... */
int json_string(const char *key, const char *bytes, size_t limit, struct buf *out);
/* ... and a frame. */
int json_frame(const struct code_line *line, struct buf *out);

#endif
