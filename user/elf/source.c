// SPDX-License-Identifier: GPL-2.0-only
#include "elf/source.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/code_file.h"
#include "elf/demangled.h"
#include "elf/dwarf_walk.h"
#include "elf/image.h"

static void cleanup_dwarf(Dwarf **dwarf)
{
	if (*dwarf)
		dwarf_end(*dwarf);
}

static bool is_dwarf(const char *name)
{
	return name && (!strncmp(name, ".debug_", 7) || !strncmp(name, ".zdebug_", 8));
}

/*
 * The number of bytes that libdw is going to load. It takes the size of a packed section from its first
 * bytes, as we do.
 */
static __u64 section_size(Elf_Scn *section, const GElf_Shdr *header)
{
	GElf_Chdr packed;

	if (!(header->sh_flags & SHF_COMPRESSED))
		return header->sh_size;
	return gelf_getchdr(section, &packed) ? packed.ch_size : UINT32_MAX;
}

/* 0; -ENODATA if the file has no DWARF, -E2BIG if it is too much. */
static int check_sections(Elf *elf)
{
	Elf_Scn *section = NULL;
	bool has_info = false;
	__u64 size = 0;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return -ENODATA;
	while ((section = elf_nextscn(elf, section))) {
		const char *name;
		GElf_Shdr header;
		__u64 more;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (!is_dwarf(name))
			continue;
		if (name[1] == 'z') /* an older way of packing, whose size nobody can bound */
			return -E2BIG;
		has_info |= !strcmp(name, ".debug_info");
		more = section_size(section, &header);
		if (more > SOURCE_DWARF_MAX - size)
			return -E2BIG;
		size += more;
	}
	return has_info ? 0 : -ENODATA;
}

/* A debug file counts only if it is of the same build. */
static int open_debug_lines(Elf *elf, const Elf64_Ehdr *header, int debug, Elf **ret)
{
	__u8 id[IMAGE_BUILD_ID_MAX], other[IMAGE_BUILD_ID_MAX], size = 0, other_size = 0;
	Elf64_Ehdr h;
	int err;

	elf_file_build_id(elf, header, id, &size);
	if (debug < 0 || !size)
		return -ENODATA;
	err = elf_file_header(debug, &h) ?: elf_file_open(debug, ret);
	if (err)
		return err;
	elf_file_build_id(*ret, &h, other, &other_size);
	return size == other_size && !memcmp(id, other, size) ? check_sections(*ret) : -ENODATA;
}

static int compare_places(const void *a, const void *b)
{
	const struct dwarf_place *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/* Offsets that are no code get an address that no unit has. */
static void find_addresses(const struct code_loads *loads, const __u32 *offsets, __u32 count,
			   struct dwarf_place *ret)
{
	for (__u32 i = 0; i < count; i++) {
		ret[i].index = i;
		ret[i].address = UINT64_MAX;
		for (int l = 0; l < loads->count; l++)
			if (offsets[i] >= loads->list[l].offset &&
			    offsets[i] - loads->list[l].offset < loads->list[l].size)
				ret[i].address = loads->list[l].address + offsets[i] - loads->list[l].offset;
	}
	qsort(ret, count, sizeof(*ret), compare_places);
}

struct source_writer {
	struct source_place *places;
	struct buf strings;
};

/* The offset of the string; 0 if it is not known, or there is no room for it. */
static int add_string(struct source_writer *w, const char *text, size_t size, __u32 *ret)
{
	const size_t length = text ? strnlen(text, size - 1) : 0;
	int err;

	*ret = 0;
	if (!length || w->strings.size + length + 1 > SOURCE_STRINGS_MAX)
		return 0;
	err = buf_add(&w->strings, text, length) ?: buf_add(&w->strings, "", 1);
	if (!err)
		*ret = w->strings.size - length - 1;
	return err;
}

/* A path that does not begin at the root begins where its unit was compiled. */
static int add_file(struct source_writer *w, const char *directory, const char *file, __u32 *ret)
{
	char path[SOURCE_FILE_SIZE];

	if (!file || *file == '/' || !directory)
		return add_string(w, file, SOURCE_FILE_SIZE, ret);
	snprintf(path, sizeof(path), "%s/%s", directory, file);
	return add_string(w, path, sizeof(path), ret);
}

static int add_frame(struct source_writer *w, struct source_place *p, const char *name, const char *directory,
		     const char *file, __u32 line)
{
	char text[SOURCE_NAME_SIZE] = "";
	struct source_frame *f = &p->frames[p->count];
	int err;

	if (name)
		demangled(name, text, sizeof(text));
	err = add_string(w, text, sizeof(text), &f->name) ?:
	      add_file(w, directory, file, &f->file);
	if (err)
		return err;
	f->line = f->file ? line : 0;
	p->count++;
	return 0;
}

/* A function that is inlined says where; that is the line of the one around it. */
static int write_place(struct source_writer *w, const struct dwarf_place *from)
{
	const __u32 depth = from->depth < SOURCE_FRAMES_MAX ? from->depth : SOURCE_FRAMES_MAX;
	struct source_place *p = &w->places[from->index];
	const char *file = from->file;
	__u32 line = from->line;
	int err = 0;

	if (!from->found || (!file && !depth))
		return 0;
	if (from->depth > SOURCE_FRAMES_MAX) {
		file = from->beyond.call_file;
		line = from->beyond.call_line;
	}
	if (!depth)
		return add_frame(w, p, NULL, from->directory, file, line);
	for (__u32 i = depth; !err && i--;) {
		err = add_frame(w, p, from->scopes[i].name, from->directory, file, line);
		file = from->scopes[i].call_file;
		line = from->scopes[i].call_line;
	}
	return err;
}

static int write_all(Dwarf *dwarf, const struct code_loads *loads, const __u32 *offsets, __u32 count,
		     struct buf *out)
{
	_cleanup_free_ struct dwarf_place *found = calloc(count, sizeof(*found));
	_cleanup_free_ struct source_place *places = calloc(count, sizeof(*places));
	struct source_header h = { .count = count };
	struct source_writer w = { .places = places };
	int err = found && places ? 0 : -ENOMEM;

	if (err)
		return err;
	find_addresses(loads, offsets, count, found);
	for (__u32 i = 0; i < count; i++)
		places[i].offset = offsets[i];
	err = dwarf_walk(dwarf, found, count) ?: buf_add(&w.strings, "", 1);
	for (__u32 i = 0; !err && i < count; i++)
		err = write_place(&w, &found[i]);
	h.strings_size = w.strings.size;
	err = err ?: buf_add(out, &h, sizeof(h)) ?: buf_add(out, places, count * sizeof(*places)) ?:
	      buf_add(out, w.strings.data, w.strings.size);
	buf_free(&w.strings);
	return err;
}

int source_read(int fd, int debug, const __u32 *offsets, __u32 count, struct buf *out)
{
	_cleanup_(elf_file_cleanup) Elf *elf = NULL;
	_cleanup_(elf_file_cleanup) Elf *other = NULL;
	_cleanup_(cleanup_dwarf) Dwarf *dwarf = NULL;
	const size_t size = out->size;
	struct code_loads loads;
	Elf64_Ehdr header;
	int err;

	if (!count || count > SOURCE_ASKED_MAX)
		return -EINVAL;
	err = elf_file_header(fd, &header) ?: code_loads_read(fd, &header, &loads) ?: elf_file_open(fd, &elf);
	err = err ?: check_sections(elf);
	if (err == -ENODATA)
		err = open_debug_lines(elf, &header, debug, &other);
	if (err)
		return err;
	dwarf = dwarf_begin_elf(other ?: elf, DWARF_C_READ, NULL);
	err = dwarf ? write_all(dwarf, &loads, offsets, count, out) : -EBADMSG;
	if (err)
		out->size = size;
	return err;
}

static bool is_sane_place(const struct source_place *p, __u32 strings_size)
{
	if (p->count > SOURCE_FRAMES_MAX)
		return false;
	for (__u32 i = 0; i < p->count; i++)
		if (p->frames[i].name >= strings_size || p->frames[i].file >= strings_size ||
		    p->frames[i].line > INT32_MAX)
			return false;
	return true;
}

int source_parse(const void *bytes, size_t size, struct source *ret)
{
	struct source_header h;
	struct source s;

	if (size < sizeof(h))
		return -EBADMSG;
	memcpy(&h, bytes, sizeof(h));
	if (h.count > SOURCE_ASKED_MAX || !h.strings_size || h.strings_size > SOURCE_STRINGS_MAX ||
	    size != sizeof(h) + h.count * sizeof(struct source_place) + h.strings_size)
		return -EBADMSG;
	s.places = (const struct source_place *)((const char *)bytes + sizeof(h));
	s.count = h.count;
	s.strings = (const char *)(s.places + s.count);
	if (*s.strings || s.strings[h.strings_size - 1])
		return -EBADMSG;
	for (__u32 i = 0; i < s.count; i++)
		if (!is_sane_place(&s.places[i], h.strings_size))
			return -EBADMSG;
	*ret = s;
	return 0;
}
