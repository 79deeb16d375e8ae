/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file.h - reads a file of options. It has lines "key = value", and # begins a comment at the start of a line
 * or after a blank. Which keys there are is for the caller to know.
 */
#ifndef PYPERF_OPTIONS_FILE_H
#define PYPERF_OPTIONS_FILE_H

#include <stddef.h>

/*
 * Calls fn for each line with a key. Key and value are trimmed, and valid only until fn returns. fn returns
 * 0, or -EINVAL with one line in the error that it is given. Returns 0; or -EINVAL with one line in error,
 * which begins with "PATH:LINE: ", or with the path if the file cannot be read.
 */
int options_file_read(const char *path,
		      int (*fn)(void *context, const char *key, const char *value, int line, char *error,
				size_t size),
		      void *context, char *error, size_t size);

#endif
