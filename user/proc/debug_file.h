/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * debug_file.h - where distributions put what they strip from a program: in files that are found by build id,
 * such as those of Debian's packages -dbgsym.
 */
#ifndef PYPERF_PROC_DEBUG_FILE_H
#define PYPERF_PROC_DEBUG_FILE_H

#include <sys/types.h>
#include <linux/types.h>

/*
 * Opens /usr/lib/debug/.build-id/xx/yyyy.debug of a file that thread tid has mapped, for reading: first as
 * the thread sees it, then as we do, since a container seldom has any. What it says is shown of everybody who
 * has the file mapped. So what the thread sees counts only if it is of the file's owner and lies in the same
 * mount: a user's own folder over /usr/lib/debug does not. And it is read only if everybody may read it, or
 * if the file itself is one that not everybody may. Whether it is of that build is for its reader to check. A
 * descriptor, or -ENOENT.
 */
int debug_file_open(pid_t tid, int file, const __u8 *build_id, size_t size);

#endif
