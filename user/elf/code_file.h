/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * code_file.h - the code of an ELF file: at which offsets its segments with code are, and the sections that
 * describe functions. Everything about machine code counts in offsets in the file, which mappings have too;
 * symbols and .eh_frame have addresses.
 */
#ifndef PYPERF_ELF_CODE_FILE_H
#define PYPERF_ELF_CODE_FILE_H

#include "elf/eh_frame.h"
#include "elf/file.h"

#define CODE_LOADS_MAX	 32
#define CODE_FRAMES_MAX	 (64 << 20) /* bytes of a file's sections that describe functions */

struct code_load {
	__u64 address, offset, size;
};

struct code_loads {
	struct code_load list[CODE_LOADS_MAX];
	int count; /* at least 1 */
};

/*
 * Reads the segments with code. 0; -EBADMSG when there are none or too many, -E2BIG when they are not within
 * the first 4 GiB of the file; or another -errno.
 */
int code_loads_read(int fd, const Elf64_Ehdr *header, struct code_loads *ret);

/* The offsets of a range of addresses, if it lies in one segment with code. */
bool code_loads_find(const struct code_loads *loads, __u64 address, __u64 size, __u32 *ret_begin,
		     __u32 *ret_end);

/* Is called with .eh_frame, then with .debug_frame. The bytes stay until the file is closed. */
typedef int (*code_frames_fn)(void *context, const struct eh_frame *section);

/*
 * Sections that cannot be read, or are too large, are left out. 0, or what fn returned, if that is not 0.
 */
int code_frames_each(Elf *elf, code_frames_fn fn, void *context);

#endif
