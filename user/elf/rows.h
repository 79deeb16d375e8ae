/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rows.h - how to go from each instruction of a file to its caller, for one region of the file: the words of
 * bpf/abi/native.h. From .eh_frame, and where that says nothing, .debug_frame. The file is hostile; the
 * worker reads it and sends the result as bytes, which are checked again by who takes them.
 */
#ifndef PYPERF_ELF_ROWS_H
#define PYPERF_ELF_ROWS_H

#include <stddef.h>
#include <linux/types.h>

#include "base/buf.h"
#include "bpf/abi/native.h"

#define ROWS_REGIONS	   (1U << (32 - REGION_SHIFT)) /* of the part of a file that may have code: 4 GiB */
#define ROWS_FUNCTIONS_MAX (1 << 17) /* of a region; by alignment there are 65,536 */
#define ROWS_WORK_MAX	   (8 << 20) /* bytes of instructions to execute; 1 MiB of code has some 150 KiB */
#define ROWS_BYTES_MAX	   (sizeof(struct rows_header) + (REGION_INDEX + REGION_ROWS) * sizeof(__u32))

/* The bytes that are sent: this, the index, the rows. */
struct rows_header {
	__u32 region; /* offset in the file >> REGION_SHIFT */
	__u32 count;  /* rows */
};

struct rows {
	__u32 region;
	__u32 count;	    /* at least REGION_PAGES */
	const __u32 *words; /* REGION_INDEX + count: the index, and then the rows */
};

/*
 * Reads a regular file of x86-64 or arm64 and appends what rows_parse() takes. Where two functions overlap,
 * that with the lower begin counts, and then the first in the file. 0; -ENOEXEC or -EBADMSG as
 * functions_read(); -ERANGE for a region that no file has; -E2BIG when it has too many rows or instructions;
 * -ENOMEM or another -errno.
 */
int rows_read(int fd, __u32 region, struct buf *out);

/* rows_read() of the page of code that the kernel maps into each process. -ENOENT if there is none. */
int rows_read_vdso(__u32 region, struct buf *out);

/* Checks bytes of rows_read(), aligned as words are, into which *ret then points. 0 or -EBADMSG. */
int rows_parse(const void *bytes, size_t size, struct rows *ret);

/* The rule for an offset in the region, below 1 << REGION_SHIFT. */
__u32 rows_find(const struct rows *rows, __u32 offset);

#endif
