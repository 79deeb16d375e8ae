/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * own_code.h - where code of this program is in its file.
 */
#ifndef PYPERF_TESTS_OWN_CODE_H
#define PYPERF_TESTS_OWN_CODE_H

#include <link.h>
#include <linux/types.h>

#include "tests/forge/test.h"

static inline int on_object(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(__u64 *)bias = info->dlpi_addr;
	return 1; /* the program itself is the first */
}

/* The linker puts segments with code where file and memory differ by whole pages or not at all. */
static inline __u32 offset_of(const void *code)
{
	const ElfW(Ehdr) *header;
	const ElfW(Phdr) *ph;
	__u64 bias, address;

	dl_iterate_phdr(on_object, &bias);
	header = (const void *)bias;
	ph = (const void *)(bias + header->e_phoff);
	address = (__u64)code - bias;
	for (int i = 0; i < header->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && ph[i].p_flags & PF_X && address >= ph[i].p_vaddr &&
		    address - ph[i].p_vaddr < ph[i].p_filesz)
			return address - ph[i].p_vaddr + ph[i].p_offset;
	fail_msg("no segment has %p", code);
	return 0;
}

#endif
