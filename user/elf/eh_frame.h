/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * eh_frame.h - which functions a file has, by the section .eh_frame, which stripped files have too: compilers
 * write an entry (FDE) for each function, with its first address and its size. Format: the Linux Standard
 * Base, "Exception Frames", and DWARF 5, section 6.4. The section .debug_frame is nearly the same.
 */
#ifndef PYPERF_ELF_EH_FRAME_H
#define PYPERF_ELF_EH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* Is called with each function: its address in the file, and its size in bytes, which is not 0. */
typedef int (*eh_frame_fn)(void *context, __u64 address, __u64 size);

/*
 * Reads a section of size bytes that the file has at this address; debug: it is .debug_frame. Entries that
 * are not understood are left out. Returns 0; -EBADMSG when it is malformed, and then what comes behind that
 * place is missing; or what fn returned, if that is not 0.
 */
int eh_frame_each(const __u8 *section, size_t size, __u64 address, bool debug, eh_frame_fn fn,
		  void *context);

#endif
