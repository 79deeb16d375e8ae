/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * line.h - the command line: which command it is, the options in it, and COMMAND. For options/ alone.
 */
#ifndef PYPERF_OPTIONS_LINE_H
#define PYPERF_OPTIONS_LINE_H

#include "options/options.h"

/*
 * Empties o, gives each option its default, keeps argc and argv, and finds out which command the first word
 * is.
 */
void line_begin(struct options *o, int argc, char **argv);
/*
 * Sets what the line has. line_of: the line of the config file that each option is from, by row; those of the
 * command line become 0. -EINVAL, with one line in error.
 */
int line_read(struct options *o, int *line_of, char *error, size_t size);

#endif
