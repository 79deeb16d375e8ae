// SPDX-License-Identifier: GPL-2.0-only
#include "elf/minidebug.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>

void minidebug_cleanup(struct minidebug *m)
{
	elf_file_cleanup(&m->elf);
	free(m->bytes);
	*m = (struct minidebug){ 0 };
}

static int unpack(const Elf_Data *packed, char **ret, size_t *ret_size)
{
	_cleanup_free_ char *bytes = malloc(MINIDEBUG_MAX); /* pages that are not written cost nothing */
	uint64_t memory = MINIDEBUG_DECODER;
	size_t in = 0, out = 0;
	lzma_ret status;

	if (!bytes)
		return -ENOMEM;
	status = lzma_stream_buffer_decode(&memory, 0, NULL, packed->d_buf, &in, packed->d_size,
					   (uint8_t *)bytes, &out, MINIDEBUG_MAX);
	if (status == LZMA_MEM_ERROR)
		return -ENOMEM;
	if (status == LZMA_MEMLIMIT_ERROR || status == LZMA_BUF_ERROR)
		return -E2BIG;
	if (status != LZMA_OK)
		return -EBADMSG;
	*ret = realloc(bytes, out ?: 1) ?: bytes;
	bytes = NULL;
	*ret_size = out;
	return 0;
}

static int open_unpacked(char *bytes, size_t size, Elf **ret)
{
	Elf64_Ehdr header;
	int err;

	if (size < sizeof(header))
		return -EBADMSG;
	memcpy(&header, bytes, sizeof(header));
	err = elf_file_check(&header);
	if (err)
		return -EBADMSG;
	*ret = elf_memory(bytes, size);
	return *ret ? 0 : -EBADMSG;
}

static Elf_Scn *find_section(Elf *elf, GElf_Shdr *ret)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, ret) ? elf_strptr(elf, names, ret->sh_name) : NULL;

		if (name && ret->sh_type == SHT_PROGBITS && !strcmp(name, ".gnu_debugdata"))
			return section;
	}
	return NULL;
}

int minidebug_open(Elf *elf, struct minidebug *ret)
{
	_cleanup_(minidebug_cleanup) struct minidebug m = { 0 };
	GElf_Shdr header;
	Elf_Scn *section = find_section(elf, &header);
	Elf_Data *packed;
	size_t size;
	int err;

	if (!section)
		return -ENOENT;
	if (header.sh_size > MINIDEBUG_PACKED_MAX)
		return -E2BIG;
	packed = elf_rawdata(section, NULL);
	if (!packed || !packed->d_buf)
		return -EBADMSG;
	err = unpack(packed, &m.bytes, &size) ?: open_unpacked(m.bytes, size, &m.elf);
	if (err)
		return err;
	*ret = m;
	m = (struct minidebug){ 0 };
	return 0;
}
