/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file_change.h - when a file was changed, and whether that was after a process began: what such a process
 * has loaded may have been another text. All times are ns since 1970.
 */
#ifndef PYPERF_BASE_FILE_CHANGE_H
#define PYPERF_BASE_FILE_CHANGE_H

#include <stdbool.h>
#include <linux/types.h>

struct stat;

/*
 * The time of its text can be set to any, as cp -p, rsync and installers do; that of the file cannot: it is
 * when the file was put there. The later one.
 */
__s64 file_change_ns(const struct stat *stat);
/* When a link on the way to this path was last put there, as that to a release is; 0 = there is none. */
__s64 file_change_links_ns(const char *path);
/* Whether that was after a process began, by more than the steps in which both are known. */
bool file_change_is_after(__s64 changed_ns, __s64 began_ns);

#endif
