// SPDX-License-Identifier: GPL-2.0-only
#include "elf/file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "elf/image.h"

#define SECTIONS_MAX 4096
#define SEGMENTS_MAX 256
#define SECTION_NAMES_MAX (256 << 10) /* bytes; a program of 4,096 sections with long names has less */
#define NOTES_MAX	  4096	      /* bytes of a section or segment */
#define NOTES_COUNT_MAX	  64	      /* sections or segments of notes; there are about three */

void elf_file_cleanup(Elf **elf)
{
	if (*elf)
		elf_end(*elf);
}

int elf_file_read(int fd, void *buffer, size_t size, __u64 offset)
{
	ssize_t n;

	if (offset > INT64_MAX - size)
		return -EBADMSG;
	do
		n = pread(fd, buffer, size, offset);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == size ? 0 : -EBADMSG;
}

int elf_file_check(const Elf64_Ehdr *header)
{
	static const unsigned char magic[] = { ELFMAG0,	   ELFMAG1,	ELFMAG2,   ELFMAG3,
					       ELFCLASS64, ELFDATA2LSB, EV_CURRENT };

	if (memcmp(header->e_ident, magic, sizeof(magic)))
		return -ENOEXEC;
	if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
		return -ENOEXEC;
	if (header->e_machine != EM_X86_64 && header->e_machine != EM_AARCH64)
		return -ENOEXEC;
	/*
	 * Numbers beyond 16 bits are stored in section 0 and announced by 0 (sections) or PN_XNUM (segments).
	 */
	if (header->e_phnum > SEGMENTS_MAX || header->e_phentsize != sizeof(Elf64_Phdr))
		return -EBADMSG;
	if (header->e_shoff) {
		if (header->e_shnum > SECTIONS_MAX || !header->e_shnum ||
		    header->e_shentsize != sizeof(Elf64_Shdr))
			return -EBADMSG;
	} else if (header->e_shnum) {
		return -EBADMSG;
	}
	return 0;
}

/* Before libelf sees the file: it would take the numbers of headers from it and allocate for them. */
int elf_file_header(int fd, Elf64_Ehdr *ret)
{
	Elf64_Ehdr header;
	int err = elf_file_read(fd, &header, sizeof(header), 0);

	if (err)
		return err == -EBADMSG ? -ENOEXEC : err;
	err = elf_file_check(&header);
	if (err)
		return err;
	*ret = header;
	return 0;
}

static bool has_small_names(Elf *elf)
{
	Elf_Scn *section;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return true; /* whoever wants them finds that there are none */
	section = elf_getscn(elf, names);
	return !section || !gelf_getshdr(section, &header) || header.sh_size <= SECTION_NAMES_MAX;
}

int elf_file_open(int fd, Elf **ret)
{
	_cleanup_(elf_file_cleanup) Elf *elf = NULL;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return -ENOSYS;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF || gelf_getclass(elf) != ELFCLASS64 || !has_small_names(elf))
		return -EBADMSG;
	*ret = TAKE_PTR(elf);
	return 0;
}

int elf_file_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct elf_budget *budget,
		     Elf_Data **ret_symbols, Elf_Data **ret_names)
{
	Elf_Scn *strings = elf_getscn(elf, header->sh_link);
	GElf_Shdr string_header;
	Elf_Data *data, *text;

	if (!strings || !gelf_getshdr(strings, &string_header) || string_header.sh_type != SHT_STRTAB)
		return -EBADMSG;
	if (header->sh_size > budget->symbols || string_header.sh_size > budget->names ||
	    !string_header.sh_size)
		return -EBADMSG;
	budget->symbols -= header->sh_size;
	budget->names -= string_header.sh_size;
	data = elf_getdata(section, NULL);
	text = elf_getdata(strings, NULL);
	if (!data || !text || !data->d_buf || !text->d_buf || !text->d_size)
		return -EBADMSG;
	/* Every name ends inside the table if its last byte does. */
	if (((const char *)text->d_buf)[text->d_size - 1])
		return -EBADMSG;
	*ret_symbols = data;
	*ret_names = text;
	return 0;
}

static void read_build_id(Elf *elf, __u64 at, __u64 size, __u64 align, __u8 *id, __u8 *ret_size)
{
	size_t next, offset = 0, name, description;
	Elf_Data *data;
	GElf_Nhdr note;

	if (size > NOTES_MAX)
		return;
	data = elf_getdata_rawchunk(elf, at, size, align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
	while (data && (next = gelf_getnote(data, offset, &note, &name, &description)) > 0) {
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    !memcmp((char *)data->d_buf + name, "GNU", sizeof("GNU")) && note.n_descsz &&
		    note.n_descsz <= IMAGE_BUILD_ID_MAX) {
			memcpy(id, (char *)data->d_buf + description, note.n_descsz);
			*ret_size = note.n_descsz;
			return;
		}
		offset = next;
	}
}

void elf_file_build_id(Elf *elf, const Elf64_Ehdr *header, __u8 *id, __u8 *ret_size)
{
	Elf_Scn *section = NULL;
	int left = NOTES_COUNT_MAX;
	GElf_Shdr sh;

	for (int i = 0; i < header->e_phnum && !*ret_size; i++) {
		GElf_Phdr ph;

		if (gelf_getphdr(elf, i, &ph) && ph.p_type == PT_NOTE && left-- > 0)
			read_build_id(elf, ph.p_offset, ph.p_filesz, ph.p_align, id, ret_size);
	}
	/* A debug file may have the segments of the file that it belongs to, which say nothing here. */
	while (!*ret_size && left > 0 && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &sh) && sh.sh_type == SHT_NOTE && left-- > 0)
			read_build_id(elf, sh.sh_offset, sh.sh_size, sh.sh_addralign, id, ret_size);
}
