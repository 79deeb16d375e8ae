/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * commands.h - the commands, commands.def, as a table: what `pyperf-bpf NAME` takes, and what its help says.
 * What runs them is in main.c, since no room below knows the run.
 */
#ifndef PYPERF_OPTIONS_COMMANDS_H
#define PYPERF_OPTIONS_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

enum {
#define GROUP(name, sighup) GROUP_NUMBER_##name,
#include "options/options.def"
};

/* Sets of options: each option is in one, each command takes some. */
enum {
#define GROUP(name, sighup) GROUP_##name = 1 << GROUP_NUMBER_##name,
#include "options/options.def"
	/* What the profiler takes: all but what only a look at one moment has. */
	GROUPS_OF_A_RUN = GROUP_PROCESSES | GROUP_FILTERS | GROUP_CHILDREN | GROUP_PROGRAMS | GROUP_NEEDS |
			  GROUP_RATE | GROUP_BUDGET | GROUP_EVENT | GROUP_SAMPLES | GROUP_ASYNC |
			  GROUP_POD_LABELS | GROUP_OUTPUT | GROUP_WRITING | GROUP_BY | GROUP_ROWS |
			  GROUP_INTERVALS | GROUP_PUSH | GROUP_SERVING | GROUP_LIVE | GROUP_CONFIG |
			  GROUP_TALK,
};

/* By their number in command_rows. */
enum {
#define COMMAND(name, run, ...) COMMAND_##name,
#include "options/commands.def"
	COMMANDS
};

struct command_row {
	const char *name, *also;
	unsigned int takes; /* GROUP_ bits */
	const char *target;
	const char *words;
	bool anybody, draws;
	const char *summary, *about, *examples, *codes;
};

extern const struct command_row command_rows[COMMANDS];

/* The command of this name, or NULL. */
const struct command_row *commands_find(const char *name);
/* The name of a command that is perhaps meant by a word which is none; NULL if none is like it. */
const char *commands_nearest(const char *word);
/* The names of the commands that take this group, such as "dump and tasks". Cut to size. */
void commands_names(unsigned int group, char *names, size_t size);

#endif
