/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * source.h - of which lines of source the code at some offsets of an ELF file was made, and which functions
 * the compiler has put into others there (inlined). From DWARF, by elfutils' libdw. The files are hostile;
 * the parser reads them and sends the result as bytes, which are checked again by who takes them.
 */
#ifndef PYPERF_ELF_SOURCE_H
#define PYPERF_ELF_SOURCE_H

#include <stddef.h>
#include <linux/types.h>

#include "base/buf.h"

#define SOURCE_ASKED_MAX   256	      /* offsets of one question */
#define SOURCE_FRAMES_MAX  16	      /* functions at one offset, the one that was compiled included */
#define SOURCE_NAME_SIZE   512	      /* a longer name is cut */
#define SOURCE_FILE_SIZE   1024	      /* a longer path of a source file is cut */
#define SOURCE_STRINGS_MAX (1 << 20)  /* bytes of an answer's strings, each with its NUL */
#define SOURCE_DWARF_MAX   (160 << 20) /* bytes of a file's sections of DWARF, unpacked */
#define SOURCE_DIES_MAX	   (1 << 22)  /* entries that are looked at for one question */

/* A function at an offset, and a line of it: of the innermost that of the code, else that of the call. */
struct source_frame {
	__u32 name, file; /* where they begin in the strings; 0 = not known */
	__u32 line;	  /* 0 = not known */
};

/* Offsets in the file. Of functions that were inlined the one that holds the code is the first. */
struct source_place {
	__u32 offset;
	__u32 count; /* frames; 0 = nothing is known there */
	struct source_frame frames[SOURCE_FRAMES_MAX];
};

/* Plain data, as it is asked for. */
struct source_question {
	__u32 count;
	__u32 offsets[SOURCE_ASKED_MAX];
};

struct source_header {
	__u32 count, strings_size;
};

#define SOURCE_BYTES_MAX                                                                                     \
	(sizeof(struct source_header) + SOURCE_ASKED_MAX * sizeof(struct source_place) + SOURCE_STRINGS_MAX)

struct source {
	const struct source_place *places; /* in the order of the question */
	__u32 count;
	const char *strings; /* begins with "" */
};

/*
 * Reads a regular file and appends what source_parse() takes, for these offsets in it. debug is -1, or the
 * file that has what was stripped from it, which says nothing if its build id is another one. 0; -ENODATA
 * when there is no DWARF in either; -ENOEXEC or -EBADMSG as functions_read(); -E2BIG beyond the bounds
 * above; -EINVAL for too many offsets; -ENOMEM or another -errno.
 */
int source_read(int fd, int debug, const __u32 *offsets, __u32 count, struct buf *out);

/* Checks bytes of source_read(), which *ret then points into. 0 or -EBADMSG. */
int source_parse(const void *bytes, size_t size, struct source *ret);

#endif
