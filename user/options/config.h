/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * config.h - the file that --config names: its keys are the long names of the options. For options/ alone.
 */
#ifndef PYPERF_OPTIONS_CONFIG_H
#define PYPERF_OPTIONS_CONFIG_H

#include "options/options.h"

/*
 * Reads o->config, and the command line once more: it has been read before, to know the file, and is read
 * afterwards, to win. line_of, by row: the line in which the file sets it, or 0. -EINVAL, with one line in
 * error.
 */
int config_read(struct options *o, int *line_of, char *error, size_t size);
/* To an error that begins with an option which is from the file: where in the file that is. -EINVAL. */
int config_add_line(const struct options *o, const int *line_of, char *error, size_t size);

#endif
