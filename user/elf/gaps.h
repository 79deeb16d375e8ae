/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gaps.h - code of arm64 that .eh_frame says nothing of, although its callers are known: the entries of the
 * procedure linkage table, which leave the stack and x30 as they are, and the function that the kernel has a
 * signal's handler return to. On x86-64 both have call frames.
 */
#ifndef PYPERF_ELF_GAPS_H
#define PYPERF_ELF_GAPS_H

#include "elf/code_file.h"

#define GAPS_MAX 4

struct gap {
	__u32 begin, end; /* offsets in the file */
	__u32 rule;
};

struct gaps {
	struct gap list[GAPS_MAX]; /* in order of begin */
	int count;
};

/* Adds those of a file for arm64; ret is empty. 0 or -errno. */
int gaps_find(int fd, Elf *elf, const struct code_loads *loads, struct gaps *ret);

#endif
