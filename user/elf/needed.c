// SPDX-License-Identifier: GPL-2.0-only
#include "elf/needed.h"

#include <string.h>

#include "base/cleanup.h"
#include "elf/file.h"
#include "elf/image.h"

#define ENTRIES_MAX 512 /* of the dynamic section; real ones have some 30 */
#define NAME_SIZE   64	/* bytes of a name that are compared, at most */

/* Where in the file an address of it is; -1 = not in the file. */
static __s64 offset_of(const struct image *image, __u64 address)
{
	for (int i = 0; i < image->load_count; i++) {
		const struct image_load *l = &image->load[i];

		if (address >= l->address && address - l->address < l->file_size)
			return l->offset + (address - l->address);
	}
	return -1;
}

static bool find_segment(int fd, const Elf64_Ehdr *header, __u32 type, Elf64_Phdr *ret)
{
	for (unsigned int i = 0; i < header->e_phnum; i++)
		if (!elf_file_read(fd, ret, sizeof(*ret), header->e_phoff + i * sizeof(*ret)) &&
		    ret->p_type == type)
			return true;
	return false;
}

static bool name_begins(int fd, __u64 offset, const char *begin)
{
	char name[NAME_SIZE];
	const size_t n = strlen(begin);

	return n < sizeof(name) && !elf_file_read(fd, name, n, offset) && !memcmp(name, begin, n);
}

bool needed_has(int fd, const Elf64_Ehdr *header, const struct image *image, const char *begin)
{
	Elf64_Dyn entries[ENTRIES_MAX];
	size_t count;
	__s64 names = -1;
	Elf64_Phdr ph;

	if (!find_segment(fd, header, PT_DYNAMIC, &ph))
		return false;
	count = ph.p_filesz / sizeof(entries[0]);
	if (count > ENTRIES_MAX)
		count = ENTRIES_MAX;
	if (elf_file_read(fd, entries, count * sizeof(entries[0]), ph.p_offset))
		return false;
	for (size_t i = 0; i < count && names < 0; i++)
		if (entries[i].d_tag == DT_STRTAB)
			names = offset_of(image, entries[i].d_un.d_ptr);
	for (size_t i = 0; i < count && names >= 0; i++)
		if (entries[i].d_tag == DT_NEEDED && name_begins(fd, names + entries[i].d_un.d_val, begin))
			return true;
	return false;
}

bool needed_by_program(int fd, const Elf64_Ehdr *header, const struct image *image, const char *begin)
{
	Elf64_Phdr ph;

	return find_segment(fd, header, PT_INTERP, &ph) && needed_has(fd, header, image, begin);
}
