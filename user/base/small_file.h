/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * small_file.h - a file of text that somebody else writes and renews, such as one with a token.
 */
#ifndef PYPERF_BASE_SMALL_FILE_H
#define PYPERF_BASE_SMALL_FILE_H

#include <stddef.h>

/*
 * Reads all of it, NUL-terminated, to be freed. -errno of open or read, -EFBIG beyond bytes_max, -EINVAL for
 * one with a NUL in it, -ENOMEM. Does not wait, whatever the file is.
 */
int small_file_read(const char *path, size_t bytes_max, char **ret);

#endif
