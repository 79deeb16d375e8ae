/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * output.h - a file that the user has named for a result; "-" is stdout.
 */
#ifndef PYPERF_EXPORT_OUTPUT_H
#define PYPERF_EXPORT_OUTPUT_H

#include <stdbool.h>

#include "base/buf.h"

/* path may be NULL: nothing was named. */
bool output_is_stdout(const char *path);
/*
 * Before anything is sampled: whether the file can be written; NULL and stdout always can. Logs; 0 or -errno.
 */
int output_check(const char *path);
/* Writes all of it or, to a file, nothing. Logs; 0 or -errno. */
int output_write(const char *path, const struct buf *b);

#endif
