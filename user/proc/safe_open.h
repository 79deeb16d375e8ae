/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * safe_open.h - the file behind a mapping of another process, without being fooled by what now has its
 * name: only a regular file, only the very file that is mapped, and never an open that blocks. And files
 * that a target has given a name that we look for: only such as its own user may read (may_read.h).
 */
#ifndef PYPERF_PROC_SAFE_OPEN_H
#define PYPERF_PROC_SAFE_OPEN_H

#include <stdbool.h>
#include <sys/stat.h>

#include "proc/procfs.h"

/*
 * Returns an O_PATH descriptor of the file behind map, which is a mapping of thread tid; *ret_stat is its
 * stat. It works for deleted files and for files of other mount namespaces. -ENOENT if the file cannot be
 * reached; -ESTALE if another file has its name now; -EMEDIUMTYPE if it is not a regular file,
 * or one of /proc and its like.
 */
int safe_open_mapping(pid_t tid, const struct procfs_map *map, struct stat *ret_stat);

/*
 * Opens what a path has led to from this directory, which is taken for the root: links are followed, and none
 * leads out of it. An O_PATH descriptor, or -errno: -ELOOP for too many links, -ENAMETOOLONG.
 */
int safe_open_below(int root, const char *path);

/* Opens for reading the regular file that an O_PATH descriptor refers to. Returns a descriptor or -errno. */
int safe_open_reopen(int path_fd);

/*
 * Opens for reading what thread tid sees under this absolute path; 0 is this process. It is the user's own
 * file, and no link is one of the thread's choice: not the last part of the path, and there is no second name
 * for it. With or_public it may also be a file that everybody can read, by way of folders that everybody may
 * search; that one may be reached by links. A descriptor; -EACCES if it is neither; another -errno.
 */
int safe_open_named(pid_t tid, const char *path, bool or_public, struct stat *ret_stat);

#endif
