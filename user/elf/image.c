// SPDX-License-Identifier: GPL-2.0-only
/* image.c - finds CPython's runtime in an ELF file with libelf. */
#include "elf/image.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "elf/file.h"
#include "elf/needed.h"
#include "elf/version_string.h"

#define SYMBOLS_MAX (32 << 20) /* bytes: 1.4 million symbols */
#define NAMES_MAX   (64 << 20) /* bytes */

/* One reading of a file. */
struct image_search {
	int fd;
	Elf *elf;
	struct elf_budget left;
	bool has_version; /* a Py_Version was met, whether it says something or not */
	struct image image;
};

static int read_loads(int fd, const Elf64_Ehdr *header, struct image *image)
{
	for (unsigned int i = 0; i < header->e_phnum; i++) {
		struct image_load *load = &image->load[image->load_count];
		Elf64_Phdr ph;
		int err = elf_file_read(fd, &ph, sizeof(ph), header->e_phoff + i * sizeof(ph));

		if (err)
			return err;
		if (ph.p_type != PT_LOAD || !ph.p_memsz)
			continue;
		if (image->load_count == IMAGE_LOADS_MAX || ph.p_filesz > ph.p_memsz ||
		    ph.p_vaddr > UINT64_MAX - ph.p_memsz || ph.p_offset > (__u64)INT64_MAX - ph.p_filesz)
			return -EBADMSG;
		*load = (struct image_load){ ph.p_offset, ph.p_vaddr, ph.p_filesz, ph.p_memsz, ph.p_flags };
		image->load_count++;
	}
	return image->load_count ? 0 : -ENOEXEC;
}

/* The index of the PT_LOAD that holds size bytes at an address of the file, -ENOENT if none does. */
static int find_load(const struct image *image, __u64 address, __u64 size)
{
	for (int i = 0; i < image->load_count; i++) {
		const struct image_load *load = &image->load[i];

		if (address >= load->address && address - load->address <= load->memory_size &&
		    size <= load->memory_size - (address - load->address))
			return i;
	}
	return -ENOENT;
}

/* A writable address, or 0: an object of that name in read-only data is no runtime. */
static __u64 writable(const struct image *image, __u64 address)
{
	int load = find_load(image, address, sizeof(__u64));

	return load >= 0 && image->load[load].flags & PF_W ? address : 0;
}

/* Py_Version is `const unsigned long`: its value is in the file. */
static __u32 read_version(int fd, const struct image *image, __u64 address)
{
	int i = find_load(image, address, sizeof(__u64));
	const struct image_load *load;
	__u64 value;

	if (i < 0)
		return 0;
	load = &image->load[i];
	if (address - load->address + sizeof(value) > load->file_size ||
	    elf_file_read(fd, &value, sizeof(value), load->offset + (address - load->address)))
		return 0;
	return value <= UINT32_MAX ? value : 0;
}

/* The first one counts. */
static void take_version(struct image_search *s, __u64 address)
{
	if (!s->has_version)
		s->image.version = read_version(s->fd, &s->image, address);
	s->has_version = true;
}

/* A link-time optimizer may append something to the name of a static variable ("interp_head.lto_priv.0"). */
static void take_image_symbol(struct image_search *s, const GElf_Sym *symbol, const char *name)
{
	struct image *image = &s->image;

	if (!image->runtime && !strcmp(name, "_PyRuntime"))
		image->runtime = writable(image, symbol->st_value);
	else if (!strcmp(name, "Py_Version"))
		take_version(s, symbol->st_value);
	else if (!image->old_thread && !strcmp(name, "_PyThreadState_Current"))
		image->old_thread = writable(image, symbol->st_value);
	else if (!image->old_interps && (!strcmp(name, "interp_head") || !strncmp(name, "interp_head.", 12)))
		image->old_interps = writable(image, symbol->st_value);
	else if (!image->classes && !strcmp(name, "PyClass_Type"))
		image->classes = writable(image, symbol->st_value);
}

/* Names of interest begin with "_Py", "Py_V", "PyCl" or "inte"; data only, and defined here. */
static bool interesting(const GElf_Sym *symbol, const char *name)
{
	int type = GELF_ST_TYPE(symbol->st_info);

	if (symbol->st_shndx == SHN_UNDEF || (type != STT_OBJECT && type != STT_NOTYPE))
		return false;
	return !strncmp(name, "_Py", 3) || !strncmp(name, "Py_V", 4) || !strncmp(name, "PyCl", 4) ||
	       !strncmp(name, "inte", 4);
}

static int read_symbols(struct image_search *s, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data, *text;
	size_t count;
	int err = elf_file_symbols(s->elf, section, header, &s->left, &data, &text);

	if (err)
		return err;
	count = data->d_size / sizeof(Elf64_Sym);
	for (size_t i = 0; i < count; i++) {
		const char *name;
		GElf_Sym symbol;

		if (!gelf_getsym(data, i, &symbol) || symbol.st_name >= text->d_size)
			continue;
		name = (const char *)text->d_buf + symbol.st_name;
		if (interesting(&symbol, name))
			take_image_symbol(s, &symbol, name);
	}
	return 0;
}

static bool complete(const struct image *image)
{
	return image->runtime && image->version;
}

/*
 * The symbol table of a type, of which the ELF specification allows one: SHT_DYNSYM is small and survives
 * stripping, SHT_SYMTAB may be huge. -EBADMSG also when the list of sections cannot be read: else the file
 * would seem to have none.
 */
static int read_symbol_table(struct image_search *s, __u32 type)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(s->elf, section))) {
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header))
			return -EBADMSG;
		if (header.sh_type == type)
			return read_symbols(s, section, &header);
	}
	return 0;
}

/*
 * CPython 3.10+ puts _PyRuntime alone into the section .PyRuntime (Include/internal/pycore_runtime.h), and
 * 3.14+ the offsets of asyncio's objects into .AsyncioDebug (Modules/_asynciomodule.c).
 */
static void find_sections(Elf *elf, const struct image *image, __u64 *ret_runtime, __u64 *ret_asyncio)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && !*ret_runtime && !strcmp(name, ".PyRuntime"))
			*ret_runtime = writable(image, header.sh_addr);
		else if (name && !*ret_asyncio && !strcmp(name, ".AsyncioDebug"))
			*ret_asyncio = writable(image, header.sh_addr);
	}
}

/* What the file says, once it is open. */
static int read_all(struct image_search *s, const Elf64_Ehdr *header)
{
	struct image *image = &s->image;
	__u64 section = 0;
	int err;

	find_sections(s->elf, image, &section, &image->asyncio);
	err = read_symbol_table(s, SHT_DYNSYM);
	if (!complete(image) && read_symbol_table(s, SHT_SYMTAB))
		err = -EBADMSG;
	if (section)
		image->runtime = section;
	/* A broken table matters only when nothing was found despite it. */
	if (err && !image->runtime && !image->old_thread && !image->asyncio)
		return err;
	if (!image->version && (image->runtime || image->old_thread)) {
		err = version_string_find(s->fd, image, &image->version);
		if (err && err != -ENOENT)
			return err;
	}
	elf_file_build_id(s->elf, header, image->build_id, &image->build_id_size);
	return 0;
}

static void cleanup_image_search(struct image_search *s)
{
	elf_file_cleanup(&s->elf);
}

int image_read(int fd, struct image *ret)
{
	_cleanup_(cleanup_image_search) struct image_search s = {
		.fd = fd,
		.left = { SYMBOLS_MAX, NAMES_MAX },
	};
	Elf64_Ehdr header;
	int err;

	err = elf_file_header(fd, &header);
	if (err)
		return err;
	s.image.machine = header.e_machine;
	s.image.fixed = header.e_type == ET_EXEC;
	err = read_loads(fd, &header, &s.image) ?: elf_file_open(fd, &s.elf) ?: read_all(&s, &header);
	if (err)
		return err;
	s.image.needs_python = needed_by_program(fd, &header, &s.image, "libpython");
	*ret = s.image;
	return 0;
}

static bool is_load(const struct image_load *l)
{
	return l->memory_size && l->file_size <= l->memory_size &&
	       l->address <= UINT64_MAX - l->memory_size && l->offset <= (__u64)INT64_MAX - l->file_size;
}

int image_parse(const void *bytes, size_t size, struct image *ret)
{
	const __u8 *fixed = (const __u8 *)bytes + offsetof(struct image, fixed);
	const __u8 *classes = (const __u8 *)bytes + offsetof(struct image, classes);
	const __u8 *needs = (const __u8 *)bytes + offsetof(struct image, needs_python);
	const struct image *image = bytes;

	/* A bool of another value is none to the compiler. */
	if (size != sizeof(*image) || *fixed > 1 || *classes > 1 || *needs > 1)
		return -EBADMSG;
	if ((image->machine != EM_X86_64 && image->machine != EM_AARCH64) || !image->load_count ||
	    image->load_count > IMAGE_LOADS_MAX || image->build_id_size > IMAGE_BUILD_ID_MAX)
		return -EBADMSG;
	for (int i = 0; i < image->load_count; i++)
		if (!is_load(&image->load[i]))
			return -EBADMSG;
	if (image->runtime != writable(image, image->runtime) ||
	    image->old_thread != writable(image, image->old_thread) ||
	    image->old_interps != writable(image, image->old_interps) ||
	    image->asyncio != writable(image, image->asyncio))
		return -EBADMSG;
	*ret = *image;
	return 0;
}

int image_bias(const struct image *image, __u64 start, __u64 offset, bool execute, __u64 *ret)
{
	__u64 page = sysconf(_SC_PAGESIZE), bias;

	for (int i = 0; i < image->load_count; i++) {
		const struct image_load *load = &image->load[i];

		if (offset < (load->offset & -page) || offset >= load->offset + load->file_size)
			continue;
		/*
		 * Neighbours of one kind can share a page of the file: only code and the headers are
		 * unambiguous.
		 */
		if (execute ? !(load->flags & PF_X) : load->offset || offset)
			continue;
		bias = start - offset + load->offset - load->address;
		if (bias & (page - 1) || (image->fixed && bias))
			continue;
		*ret = bias;
		return 0;
	}
	return -ENOENT;
}
