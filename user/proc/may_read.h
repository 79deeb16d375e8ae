/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * may_read.h - which files are read when a target has named them. Whoever looks at targets may read any file,
 * and what it reads ends up in a profile, so nothing is read that the target's own user could not read.
 */
#ifndef PYPERF_PROC_MAY_READ_H
#define PYPERF_PROC_MAY_READ_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/*
 * A regular file of a file system that keeps files. Those in which the kernel itself makes the text (proc,
 * sysfs, tracefs, debugfs and their like) tell of other processes, and reading some changes something.
 */
bool may_read_kind(int fd, const struct stat *stat);

/* The file belongs to the user that thread tid acts as; to root only if that is root. 0 is this process. */
bool may_read_owned(pid_t tid, const struct stat *stat);

/* Of the right kind, the user's own, and under one name: a second one may be one that another user gave. */
bool may_read_own(pid_t tid, int fd, const struct stat *stat);

/* Of the right kind, and everybody may read it. The folders above it are for the caller to check. */
bool may_read_public(int fd, const struct stat *stat);

#endif
