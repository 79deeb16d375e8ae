/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * path.h - parts of a path, where only its text is known: it may be another machine's.
 */
#ifndef PYPERF_BASE_PATH_H
#define PYPERF_BASE_PATH_H

#include <string.h>

/* The part of path behind its last '/'; the whole path if that part is empty. It points into path. */
static inline const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

#endif
