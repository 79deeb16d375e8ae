/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file.h - a file of options: lines "key = value", where # begins a comment at the start of a line or after a
 * blank. What the keys are is the caller's.
 */
#ifndef PYPERF_OPTIONS_FILE_H
#define PYPERF_OPTIONS_FILE_H

#include <stddef.h>

/*
 * Calls fn for each; key and value are trimmed, and fn's only until it returns. It returns 0, or -EINVAL with
 * a line in its error. Returns 0, or -EINVAL with one line in error that begins with "PATH:LINE: ", or with
 * the path if the file cannot be read.
 */
int options_file_read(const char *path,
		      int (*fn)(void *context, const char *key, const char *value, int line, char *error,
				size_t size),
		      void *context, char *error, size_t size);

#endif
