/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * answer.h - what a command said becomes the small answer of a tool: what is asked for stays, long lists are
 * cut, and what was cut is said, with how to get it.
 */
#ifndef PYPERF_MCP_ANSWER_H
#define PYPERF_MCP_ANSWER_H

#include <stddef.h>

#include "base/buf.h"
#include "mcp/tools.h"

#define ANSWER_DEPTH_MAX 64

struct json_object;

/* One whole document of JSON, or NULL: to be put. */
struct json_object *answer_parse(const char *text, size_t size);
/* Takes out of root what the call does not want, and adds to cuts an object of JSON for each kind of cut. */
int answer_shape(const struct tool *t, struct json_object *given, struct json_object *root, struct buf *cuts);
/* Takes out of the books what the tool does not want, and what counts 0; adds to cuts that this was done. */
int answer_shape_books(const struct tool *t, struct json_object *root, struct buf *cuts);
/* The lines that a command said, as strings of an array, without its name: all, or the warnings. */
int answer_said(const struct buf *said, bool warnings, struct buf *out);

#endif
