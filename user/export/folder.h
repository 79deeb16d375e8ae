/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * folder.h - a folder of profiles, one for each interval. A name is the UTC time at which the interval began,
 * so names sort as times do: pyperf-bpf-20261121T141935.123Z.pb.gz. Files with other names are left alone.
 */
#ifndef PYPERF_EXPORT_FOLDER_H
#define PYPERF_EXPORT_FOLDER_H

#include <stddef.h>
#include <time.h>

#define FOLDER_NAME_SIZE 40 /* of a file's name, NUL included */

/* How many files, and bytes of them, may stay in the folder; 0 = no limit. */
struct folder_keep {
	unsigned long long files, bytes;
};

/* Makes it, with mode 0755 less the umask, unless it is there; not those above it. 0 or -errno. */
int folder_make(const char *path);

/* In words, why folder_make(), folder_check() or folder_add() failed with this -errno. */
const char *folder_why(const char *path, int err);

/* Whether folder_add() can be expected to work: 0, or why not, as -ENOENT, -ENOTDIR, -EACCES or -EROFS. */
int folder_check(const char *path);

/*
 * Adds a file, whole or not at all. No file is replaced: where the name is taken, because a clock was set
 * back, the next free millisecond is used. A file that is there already, with the very same bytes, is not
 * added twice: whoever wrote it was killed before it could say so. 0 or -errno. After a failure nothing is
 * left.
 */
int folder_add(const char *path, const struct timespec *start, const void *data, size_t size,
	       char ret_name[FOLDER_NAME_SIZE]);

/*
 * Removes the oldest files until the rest is within the limits. `newest`, the name of the one written last,
 * stays in any case. A file whose name lies in the future was written while the clock was wrong, so it is
 * older than all that have been written since. Files that a writer left unfinished an hour ago go, too.
 * Returns 0, or the -errno of the first file that could not be removed. *ret_removed is how many were
 * removed, without the unfinished ones.
 */
int folder_prune(const char *path, const struct folder_keep *keep, const char *newest, size_t *ret_removed);

#endif
