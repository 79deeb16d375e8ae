/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * calls.h - a call of a tool, from its arguments to its answer. What answers is a child that runs the command
 * of the same name; what that reads, as files of unknown origin and memory of targets, stays out of this
 * process.
 */
#ifndef PYPERF_MCP_CALLS_H
#define PYPERF_MCP_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "mcp/child.h"
#include "mcp/recordings.h"
#include "mcp/tools.h"

#define CALLS_MAX	 4
#define ANSWER_BYTES_MAX (64 << 10)

struct json_object;

struct call {
	struct json_object *id;	   /* NULL: this place is free */
	struct json_object *given; /* arguments; NULL = none */
	struct json_object *token; /* of progress that the client wants to hear of; NULL = of none */
	const struct tool *tool;
	struct child child;
	struct buf command;	/* as one would type it */
	struct buf said;	/* strings of JSON, of steps that are done */
	unsigned int recording; /* that is being made; 0 = none */
	struct recording_paths paths;
	enum call_step { STEP_FIRST, STEP_FINDINGS, STEP_REPORT } step; /* of a call that records */
	struct json_object *findings;					/* of the step of that name */
	bool is_cancelled;						/* nobody wants the answer */
	bool is_given_up;						/* it took too long */
	int seconds;							/* ... than this */
	double begun, told; /* clock_seconds(): when, and when it was last said how far it is */
	double deadline;    /* clock_seconds(): it is told to end then, and killed a little later */
};

/*
 * id and given become the call's own in any case. 0; -EINVAL with one line in error that says what to do; or
 * -errno. call_free() it in each case.
 */
int call_begin(struct call *c, const struct tool *t, struct json_object *id, struct json_object *given,
	       struct recordings *r, char *error, size_t size);
/* Whether call_answer() has something to do. */
bool call_is_due(struct call *c);
/* Its deadline has passed. */
void call_give_up(struct call *c);
void call_cancel(struct call *c);
/*
 * Writes the result of tools/call. -EAGAIN: another step has begun. Else 0 or -errno, and the call is done.
 */
int call_answer(struct call *c, struct recordings *r, struct buf *out);
/* Seconds that it takes, about. */
double call_length(const struct call *c);
void call_free(struct call *c, struct recordings *r);
/* A result of tools/call that is only this text. */
int call_result(const char *text, bool is_error, struct buf *out);

#endif
