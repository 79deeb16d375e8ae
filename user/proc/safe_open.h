/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * safe_open.h - the file behind a mapping of another process, without being fooled by what now has its
 * name: only a regular file, only the very file that is mapped, and never an open that blocks. And files
 * that a target has given a name that we look for: only such as its own user may read (may_read.h).
 */
#ifndef PYPERF_PROC_SAFE_OPEN_H
#define PYPERF_PROC_SAFE_OPEN_H

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

/* Whose file may be opened under a name. */
enum safe_open_whose {
	/*
	 * The user's own, and no link is one of the thread's choice: not the last part of the path, and there
	 * is no second name for it.
	 */
	SAFE_OPEN_OWN = 1 << 0,
	/* One that everybody can read, by way of folders that everybody may search; links may lead to it. */
	SAFE_OPEN_PUBLIC = 1 << 1,
};

/*
 * Opens for reading what thread tid sees under this absolute path; 0 is this process. whose: one of them, or
 * both. A descriptor; -EACCES if it is no such file; another -errno.
 */
int safe_open_named(pid_t tid, const char *path, unsigned int whose, struct stat *ret_stat);

#endif
