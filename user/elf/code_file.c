// SPDX-License-Identifier: GPL-2.0-only
#include "elf/code_file.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

int code_loads_read(int fd, const Elf64_Ehdr *header, struct code_loads *ret)
{
	struct code_loads loads = { .count = 0 };

	for (int i = 0; i < header->e_phnum; i++) {
		Elf64_Phdr ph;
		int err = elf_file_read(fd, &ph, sizeof(ph), header->e_phoff + i * sizeof(ph));

		if (err)
			return err;
		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X) || !ph.p_filesz)
			continue;
		if (ph.p_offset > UINT32_MAX || ph.p_filesz > UINT32_MAX - ph.p_offset)
			return -E2BIG;
		if (loads.count == CODE_LOADS_MAX || ph.p_vaddr > UINT64_MAX - ph.p_filesz)
			return -EBADMSG;
		loads.list[loads.count++] = (struct code_load){ ph.p_vaddr, ph.p_offset, ph.p_filesz };
	}
	if (!loads.count)
		return -EBADMSG;
	*ret = loads;
	return 0;
}

bool code_loads_find(const struct code_loads *loads, __u64 address, __u64 size, __u32 *ret_begin,
		     __u32 *ret_end)
{
	for (int i = 0; i < loads->count; i++) {
		const struct code_load *l = &loads->list[i];

		if (address < l->address || address - l->address >= l->size ||
		    size > l->size - (address - l->address))
			continue;
		*ret_begin = l->offset + (address - l->address);
		*ret_end = *ret_begin + size;
		return true;
	}
	return false;
}

/* libelf keeps what it has read: what is left of the bound after it goes into *left. */
static bool read_section(Elf_Scn *section, const GElf_Shdr *header, size_t *left, struct eh_frame *ret)
{
	Elf_Data *data;

	if (header->sh_type == SHT_NOBITS || header->sh_flags & SHF_COMPRESSED || header->sh_size > *left)
		return false;
	*left -= header->sh_size;
	data = elf_rawdata(section, NULL);
	if (!data || !data->d_buf)
		return false;
	*ret = (struct eh_frame){ data->d_buf, data->d_size, header->sh_addr, false };
	return true;
}

static int each_named(Elf *elf, const char *wanted, size_t *left, code_frames_fn fn, void *context)
{
	Elf_Scn *section = NULL;
	size_t names;
	int err = 0;

	if (elf_getshdrstrndx(elf, &names))
		return 0;
	while (!err && (section = elf_nextscn(elf, section))) {
		struct eh_frame frame;
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (!name || strcmp(name, wanted) || !read_section(section, &header, left, &frame))
			continue;
		frame.debug = !strcmp(wanted, ".debug_frame");
		err = fn(context, &frame);
	}
	return err;
}

int code_frames_each(Elf *elf, code_frames_fn fn, void *context)
{
	size_t left = CODE_FRAMES_MAX;

	return each_named(elf, ".eh_frame", &left, fn, context) ?:
	       each_named(elf, ".debug_frame", &left, fn, context);
}
