/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file.h - the first steps into an ELF file of unknown origin, by libelf. ELF_C_READ, never a mapping: a file
 * that is cut short while it is mapped would kill us with SIGBUS. Counts and sizes are checked before libelf
 * allocates for them.
 */
#ifndef PYPERF_ELF_FILE_H
#define PYPERF_ELF_FILE_H

#include <stddef.h>
#include <elf.h>
#include <gelf.h>
#include <libelf.h>
#include <linux/types.h>

#include "base/cleanup.h"

/* Reads size bytes at this offset. 0; -EBADMSG if the file ends before; another -errno. */
int elf_file_read(int fd, void *buffer, size_t size, __u64 offset);

/*
 * The header of a 64-bit little-endian program or library for x86-64 or aarch64 with a sane number of
 * segments and sections. -ENOEXEC if it is something else, -EBADMSG if it is malformed; another -errno.
 */
int elf_file_header(int fd, Elf64_Ehdr *ret);

/* Whether a header that was read already is one that elf_file_header() takes: 0, -ENOEXEC or -EBADMSG. */
int elf_file_check(const Elf64_Ehdr *header);

/*
 * Gives the file to libelf, after elf_file_header(). 0, -ENOSYS, or -EBADMSG, also if the names of its
 * sections are too large: libelf looks through them for each name.
 */
int elf_file_open(int fd, Elf **ret);
void elf_file_cleanup(Elf **elf);

/*
 * What may still be read for one question, of all tables of symbols together: a file may have thousands of
 * them, all of the same bytes.
 */
struct elf_budget {
	__u64 symbols; /* bytes of tables, and */
	__u64 names;   /* ... of the names that belong to them */
};

/*
 * A section of symbols and the names that belong to it; the names end with a NUL. 0, or -EBADMSG: malformed,
 * or more than is left of the budget.
 */
int elf_file_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct elf_budget *budget,
		     Elf_Data **ret_symbols, Elf_Data **ret_names);

/* The build id into id, which has IMAGE_BUILD_ID_MAX bytes. *ret_size stays as it is, 0, if there is none. */
void elf_file_build_id(Elf *elf, const Elf64_Ehdr *header, __u8 *id, __u8 *ret_size);

#endif
