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

/* Gives the file to libelf, after elf_file_header(). 0, -EBADMSG or -ENOSYS. */
int elf_file_open(int fd, Elf **ret);
void elf_file_cleanup(Elf **elf);

/*
 * A section of symbols and the names that belong to it; the names end with a NUL. 0, or -EBADMSG: malformed
 * or too large.
 */
int elf_file_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, Elf_Data **ret_symbols,
		     Elf_Data **ret_names);

/* The build id into id, which has IMAGE_BUILD_ID_MAX bytes. *ret_size stays as it is, 0, if there is none. */
void elf_file_build_id(Elf *elf, const Elf64_Ehdr *header, __u8 *id, __u8 *ret_size);

#endif
