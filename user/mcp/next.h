/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * next.h - which two calls go on from an answer: rows of tools.def, filled with what was asked and what came.
 */
#ifndef PYPERF_MCP_NEXT_H
#define PYPERF_MCP_NEXT_H

#include "base/buf.h"
#include "mcp/tools.h"

#define NEXT_MAX 2 /* calls that an answer names */

struct json_object;

/*
 * Adds to out objects of JSON with commas between: {"tool":...,"arguments":{...},"why":...}. given: the
 * arguments of the call; root: its answer, NULL = none; made: the profile that it made, or NULL. 0, -ENOMEM.
 */
int next_calls(const struct tool *t, struct json_object *given, struct json_object *root, const char *made,
	       struct buf *out);

#endif
