/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * commands.h - what runs the rows of options/commands.def: a function for each, which logs, and returns the
 * exit code of the program.
 */
#ifndef PYPERF_RUN_COMMANDS_H
#define PYPERF_RUN_COMMANDS_H

#include "options/options.h"

#define COMMAND(name, run, ...) int run(struct options *o);
#include "options/commands.def"

#endif
