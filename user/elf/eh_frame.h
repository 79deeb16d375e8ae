/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * eh_frame.h - which functions a file has, by the section .eh_frame, which stripped files have too: compilers
 * write an entry (FDE) for each function, with its first address, its size, and how to find its caller.
 * Format: the Linux Standard Base, "Exception Frames", and DWARF 5, section 6.4. The section .debug_frame is
 * nearly the same.
 */
#ifndef PYPERF_ELF_EH_FRAME_H
#define PYPERF_ELF_EH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "elf/reader.h"

/* A section of a file. */
struct eh_frame {
	const __u8 *bytes;
	size_t size;
	__u64 address; /* in the file */
	bool debug;    /* it is .debug_frame */
};

/* A common information entry (CIE): data that many functions share. */
struct eh_common {
	__u8 encoding; /* of addresses (DW_EH_PE_) */
	bool signal;   /* the kernel calls these functions: letter S of the augmentation */
	bool sized;    /* their entries say how long their augmentation is: letter z */
	__u64 code_factor;
	__s64 data_factor;
	__u64 return_register;
	struct reader instructions;
};

struct eh_function {
	size_t offset; /* in the section, of its entry */
	__u64 address, size;
	/* Only eh_frame_read() fills these. */
	struct eh_common common;
	struct reader instructions;
};

/* Is called with each function whose size is not 0. */
typedef int (*eh_frame_fn)(void *context, const struct eh_function *function);

/*
 * Entries that are not understood are left out. Returns 0; -EBADMSG when the section is malformed, and then
 * what comes behind that offset is missing; or what fn returned, if that is not 0.
 */
int eh_frame_each(const struct eh_frame *section, eh_frame_fn fn, void *context);

/* Reads one entry whole, at an offset that eh_frame_each() told. 0 or -EBADMSG. */
int eh_frame_read(const struct eh_frame *section, size_t offset, struct eh_function *ret);

/*
 * Takes an address of this encoding. It may be relative to where it stands. -EBADMSG also when the encoding
 * is not known.
 */
int eh_frame_address(const struct eh_frame *section, struct reader *r, __u8 encoding, __u64 *ret);

#endif
