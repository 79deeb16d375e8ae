/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * code_maps.h - where code is mapped in a process, and what the files behind it are. The worker reads it and
 * sends it as bytes, which are checked again by who takes them.
 */
#ifndef PYPERF_PROC_CODE_MAPS_H
#define PYPERF_PROC_CODE_MAPS_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <linux/types.h>

#include "base/buf.h"

#define CODE_MAPS_MAX	    4096
#define CODE_MAPS_BYTES_MAX (1 << 20)

/* The identity of a file: two files with equal fields are one. There is no padding: it is hashed. */
struct code_file {
	__u64 device, inode, size, seconds, nanoseconds;
};

struct code_file code_file_of(const struct stat *stat);

/* One mapping that is executable. mm->exec_vm counts the pages of those that are not writable. */
struct code_map {
	__u64 start, end;
	__u64 offset;	       /* of start, in the file */
	struct code_file file; /* all 0 if it could not be reached or there is none; of memory: perf map */
	const char *path; /* as the process sees it; "[vdso]"; "" = memory of no file. At most PATH_MAX. */
	bool is_memory;	  /* of no file */
	bool is_writable;
	__u64 owner; /* of the user that the process acts as, as in proc/owner.h; who asks may know better */
};

/*
 * Appends the mappings of thread tid. 0; -E2BIG when there are more than CODE_MAPS_MAX; -ESRCH; another
 * -errno.
 */
int code_maps_read(pid_t tid, struct buf *out);

/*
 * The mapping at *at of what code_maps_read() wrote, which begins as 0 and moves on. 1 if there was one; 0 at
 * the end; -EBADMSG if the bytes are malformed. They are in order of address, and do not overlap.
 */
int code_maps_next(const void *bytes, size_t size, size_t *at, struct code_map *ret);

#endif
