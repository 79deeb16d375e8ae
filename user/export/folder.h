/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * folder.h - a folder of profiles, one for each interval. Names are the UTC time at which it began, so they
 * sort: pyperf-bpf-20261121T141935.123Z.pb.gz. Files of other names are nobody's business here.
 */
#ifndef PYPERF_EXPORT_FOLDER_H
#define PYPERF_EXPORT_FOLDER_H

#include <stddef.h>
#include <time.h>

#define FOLDER_NAME_SIZE 40 /* of a file's name, NUL included */

/* How much may stay; 0 = no limit. */
struct folder_keep {
	unsigned long long files, bytes;
};

/* Whether folder_add() can be expected to work. -ENOENT, -ENOTDIR, -EACCES, -EROFS... */
int folder_check(const char *path);

/*
 * Adds a file, whole or not at all. Replaces none: where the name is taken (a clock that was set back), the
 * next free millisecond is used. On failure -errno, and nothing is left.
 */
int folder_add(const char *path, const struct timespec *start, const void *data, size_t size,
	       char ret_name[FOLDER_NAME_SIZE]);

/*
 * Removes the oldest until the rest is within the limits; the newest stays in any case. Returns 0 or the
 * -errno of the first that could not be removed; *ret_removed counts those that were.
 */
int folder_prune(const char *path, const struct folder_keep *keep, size_t *ret_removed);

#endif
