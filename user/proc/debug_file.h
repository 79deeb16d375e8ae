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
 * Opens /usr/lib/debug/.build-id/xx/yyyy.debug for reading: first as thread tid sees it, then as we do, since
 * a container seldom has any. It is a file that the thread's user may read (safe_open_named()); whether it is
 * of that build is for its reader to check. A descriptor, or -ENOENT.
 */
int debug_file_open(pid_t tid, const __u8 *build_id, size_t size);

#endif
