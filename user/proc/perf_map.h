/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf_map.h - /tmp/perf-PID.map, in which compilers that make code at run time say where it is and what it
 * is called: a line "START SIZE NAME" for each function, both numbers hexadecimal. The program may have
 * written anything there, and goes on writing. The worker opens it, the parser reads it.
 */
#ifndef PYPERF_PROC_PERF_MAP_H
#define PYPERF_PROC_PERF_MAP_H

#include <sys/stat.h>
#include <sys/types.h>
#include <linux/types.h>

#include "base/buf.h"

#define PERF_MAP_FILE_MAX  (32 << 20) /* bytes that are read of it */
#define PERF_MAP_COUNT_MAX (1 << 17)  /* functions */
#define PERF_MAP_NAMES_MAX (8 << 20)  /* bytes of their names, each with its NUL */
#define PERF_MAP_NAME_SIZE 512	      /* a longer name is cut */
#define PERF_MAP_BYTES_MAX (PERF_MAP_COUNT_MAX * 16 + PERF_MAP_NAMES_MAX + 4096)

struct perf_map_function {
	__u64 begin;
	__u32 size, name; /* where its name begins in names */
};

struct perf_map {
	const struct perf_map_function *list; /* by begin; they do not overlap */
	__u32 count;			      /* 0 = it has none */
	const char *names;
};

/*
 * Opens the one of the process that thread tid is of, as that process sees it: under its own root, named by
 * its pid in its own namespace. It is a file of the process's own user, no link, and has no other name. A
 * descriptor, or -ENOENT.
 */
int perf_map_open(pid_t tid, struct stat *ret);

/*
 * Reads it and appends what perf_map_parse() takes. Where functions overlap the later line is right. Lines
 * that are malformed, and what is beyond the bounds, are left out. 0, -ENOMEM or another -errno.
 */
int perf_map_read(int fd, struct buf *out);

/* Checks bytes of perf_map_read(), which *ret then points into. 0 or -EBADMSG. */
int perf_map_parse(const void *bytes, size_t size, struct perf_map *ret);

/* The name of what is at this address, "" if nothing is. */
const char *perf_map_find(const struct perf_map *m, __u64 address);

#endif
