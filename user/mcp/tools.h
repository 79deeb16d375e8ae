/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tools.h - tools.def as tables, and as what tools/list says.
 */
#ifndef PYPERF_MCP_TOOLS_H
#define PYPERF_MCP_TOOLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define RECORD_SECONDS_MAX 60

enum {
#define TOOL(NAME, ...) TOOL_##NAME,
#include "mcp/tools.def"
	TOOLS
};

enum tool_work {
	WORK_ASK,    /* the command writes JSON, which is the answer */
	WORK_RECORD, /* it writes a profile and its books, of which a report is made */
	WORK_BOOKS,  /* nothing runs: the books that were written with a profile are the answer */
};

struct tool {
	const char *name;
	int command; /* COMMAND_ number */
	enum tool_work work;
	const char *fixed, *about;
};

enum argument_kind {
	ARGUMENT_OPTION,
	ARGUMENT_SECONDS,
	ARGUMENT_PIDS,
	ARGUMENT_MOST,
	ARGUMENT_PROFILE,
	ARGUMENT_FILTER,
	ARGUMENT_CUT,
};

struct argument {
	int tool;
	enum argument_kind kind;
	const char *name;
	const char *option; /* of options.def, without --; NULL = it is not handed to the command */
	bool required;
	const char *about;	    /* NULL = the option's help */
	const char *array, *member; /* of the answer: what a filter and a cut are about */
	long value, limit;	    /* of a most and a cut: what holds where it is not given, and at most */
};

/* What is handed over as an option of the command line. */
struct option_fact {
	const char *name;
	enum { FACT_FLAG, FACT_NUMBER, FACT_TEXT, FACT_CHOICE } type;
	const char *choices; /* "a|b|c" */
	long min, max;
	unsigned int group; /* GROUP_ bit */
	const char *help;
};

/* The answer of this tool has only the members that are named so. */
struct only {
	int tool;
	const char *member;
};

/* A call that goes on from an answer of this tool. */
struct next_call {
	int tool, next;
	const char *arguments, *why;
};

extern const struct tool tools[TOOLS];
extern const struct argument tool_arguments[];
extern const size_t tool_arguments_count;
extern const struct only tool_only[];
extern const size_t tool_only_count;
extern const struct next_call tool_next[];
extern const size_t tool_next_count;

const struct tool *tools_find(const char *name);
/* NULL: this tool has no such argument. */
const struct argument *tools_argument(const struct tool *t, const char *name);
/* Of argument->option; never NULL where that is not. */
const struct option_fact *tools_option(const char *name);
/* {"tools":[...]}: 0 or -ENOMEM. */
int tools_list(struct buf *out);

#endif
