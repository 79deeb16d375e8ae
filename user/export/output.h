/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * output.h - a file that the user has named for a result; "-" is stdout.
 */
#ifndef PYPERF_EXPORT_OUTPUT_H
#define PYPERF_EXPORT_OUTPUT_H

#include <stdbool.h>

#include "base/buf.h"

/* How long a write may take, which may change while it does. */
struct output_patience {
	/* clock_seconds() of the end; 0 = for ever. Asked again and again. A second is left in any case. */
	double (*until)(void *context);
	void *context;
};

/* path may be NULL: nothing was named. */
bool output_is_stdout(const char *path);
/*
 * Before anything is sampled: whether the file can be written; NULL and stdout always can. Logs; 0 or -errno.
 */
int output_check(const char *path);
/*
 * Writes all of it or, to a file, nothing. A child does it, since a write to a file system that hangs cannot
 * be interrupted. patience NULL: for ever. Logs; 0 or -errno, -ETIMEDOUT when it was given up.
 */
int output_write(const char *path, const struct buf *b, const struct output_patience *patience);

#endif
