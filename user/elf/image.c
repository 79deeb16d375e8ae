// SPDX-License-Identifier: GPL-2.0-only
/*
 * image.c - finds CPython's runtime in an ELF file with libelf. ELF_C_READ, never a mapping: a file cut
 * short while it is mapped would kill us with SIGBUS. Counts and sizes are checked before libelf allocates
 * for them.
 */
#include "elf/image.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "elf/version_text.h"

#define SECTIONS_MAX 4096
#define SEGMENTS_MAX 256
#define SYMBOLS_MAX  (64 << 20) /* bytes of a symbol table; a debug build of a browser has about 30 MiB */
#define STRINGS_MAX  (256 << 20)
#define NOTES_MAX    4096

static void cleanup_elf(Elf **elf)
{
	if (*elf)
		elf_end(*elf);
}

static int read_exactly(int fd, void *buffer, size_t size, __u64 offset)
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

/* Before libelf sees the file: it would take the numbers of headers from it and allocate for them. */
static int check_header(int fd, Elf64_Ehdr *ret)
{
	static const unsigned char magic[] = { ELFMAG0,	   ELFMAG1,	ELFMAG2,   ELFMAG3,
					       ELFCLASS64, ELFDATA2LSB, EV_CURRENT };
	Elf64_Ehdr header;
	int err = read_exactly(fd, &header, sizeof(header), 0);

	if (err)
		return err == -EBADMSG ? -ENOEXEC : err;
	if (memcmp(header.e_ident, magic, sizeof(magic)))
		return -ENOEXEC;
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return -ENOEXEC;
	if (header.e_machine != EM_X86_64 && header.e_machine != EM_AARCH64)
		return -ENOEXEC;
	/*
	 * Numbers beyond 16 bits are stored in section 0 and announced by 0 (sections) or PN_XNUM (segments).
	 */
	if (header.e_phnum > SEGMENTS_MAX || header.e_phentsize != sizeof(Elf64_Phdr))
		return -EBADMSG;
	if (header.e_shoff) {
		if (header.e_shnum > SECTIONS_MAX || !header.e_shnum ||
		    header.e_shentsize != sizeof(Elf64_Shdr))
			return -EBADMSG;
	} else if (header.e_shnum) {
		return -EBADMSG;
	}
	*ret = header;
	return 0;
}

static int read_loads(int fd, const Elf64_Ehdr *header, struct image *image)
{
	for (unsigned int i = 0; i < header->e_phnum; i++) {
		struct image_load *load = &image->load[image->load_count];
		Elf64_Phdr ph;
		int err = read_exactly(fd, &ph, sizeof(ph), header->e_phoff + i * sizeof(ph));

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
	    read_exactly(fd, &value, sizeof(value), load->offset + (address - load->address)))
		return 0;
	return value <= UINT32_MAX ? value : 0;
}

/* A link-time optimizer may append something to the name of a static variable ("interp_head.lto_priv.0"). */
static void take_symbol(int fd, struct image *image, const GElf_Sym *symbol, const char *name)
{
	if (!image->runtime && !strcmp(name, "_PyRuntime"))
		image->runtime = writable(image, symbol->st_value);
	else if (!image->version && !strcmp(name, "Py_Version"))
		image->version = read_version(fd, image, symbol->st_value);
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

static int read_symbols(int fd, Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct image *image)
{
	Elf_Scn *strings = elf_getscn(elf, header->sh_link);
	GElf_Shdr string_header;
	Elf_Data *data, *text;
	size_t count;

	if (!strings || !gelf_getshdr(strings, &string_header) || string_header.sh_type != SHT_STRTAB)
		return -EBADMSG;
	if (header->sh_size > SYMBOLS_MAX || string_header.sh_size > STRINGS_MAX || !string_header.sh_size)
		return -EBADMSG;
	data = elf_getdata(section, NULL);
	text = elf_getdata(strings, NULL);
	if (!data || !text || !data->d_buf || !text->d_buf || !text->d_size)
		return -EBADMSG;
	/* Every name ends inside the table if its last byte does. */
	if (((const char *)text->d_buf)[text->d_size - 1])
		return -EBADMSG;
	count = data->d_size / sizeof(Elf64_Sym);
	for (size_t i = 0; i < count; i++) {
		const char *name;
		GElf_Sym symbol;

		if (!gelf_getsym(data, i, &symbol) || symbol.st_name >= text->d_size)
			continue;
		name = (const char *)text->d_buf + symbol.st_name;
		if (interesting(&symbol, name))
			take_symbol(fd, image, &symbol, name);
	}
	return 0;
}

static void read_build_id(Elf *elf, const GElf_Phdr *header, struct image *image)
{
	size_t next, offset = 0, name, description;
	Elf_Data *data;
	GElf_Nhdr note;

	if (header->p_filesz > NOTES_MAX)
		return;
	data = elf_getdata_rawchunk(elf, header->p_offset, header->p_filesz,
				    header->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
	while (data && (next = gelf_getnote(data, offset, &note, &name, &description)) > 0) {
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    !memcmp((char *)data->d_buf + name, "GNU", sizeof("GNU")) && note.n_descsz &&
		    note.n_descsz <= IMAGE_BUILD_ID_MAX) {
			memcpy(image->build_id, (char *)data->d_buf + description, note.n_descsz);
			image->build_id_size = note.n_descsz;
			return;
		}
		offset = next;
	}
}

static void read_notes(Elf *elf, const Elf64_Ehdr *header, struct image *image)
{
	for (int i = 0; i < header->e_phnum && !image->build_id_size; i++) {
		GElf_Phdr ph;

		if (gelf_getphdr(elf, i, &ph) && ph.p_type == PT_NOTE)
			read_build_id(elf, &ph, image);
	}
}

static bool complete(const struct image *image)
{
	return image->runtime && image->version;
}

/*
 * One pass over the symbol tables of a type: SHT_DYNSYM is small and survives stripping, SHT_SYMTAB may be
 * huge.
 */
static int read_tables(int fd, Elf *elf, __u32 type, struct image *image)
{
	Elf_Scn *section = NULL;
	int result = 0, err;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header) || header.sh_type != type)
			continue;
		err = read_symbols(fd, elf, section, &header, image);
		if (err)
			result = err;
	}
	return result;
}

/* CPython 3.10+ puts _PyRuntime alone into this section (Include/internal/pycore_runtime.h). */
static __u64 find_section(Elf *elf, const struct image *image)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return 0;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && !strcmp(name, ".PyRuntime"))
			return writable(image, header.sh_addr);
	}
	return 0;
}

int image_read(int fd, struct image *ret)
{
	_cleanup_(cleanup_elf) Elf *elf = NULL;
	struct image image = { 0 };
	Elf64_Ehdr header;
	__u64 section;
	int err;

	err = check_header(fd, &header);
	if (err)
		return err;
	image.machine = header.e_machine;
	image.fixed = header.e_type == ET_EXEC;
	err = read_loads(fd, &header, &image);
	if (err)
		return err;
	if (elf_version(EV_CURRENT) == EV_NONE)
		return -ENOSYS;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF || gelf_getclass(elf) != ELFCLASS64)
		return -EBADMSG;
	section = find_section(elf, &image);
	err = read_tables(fd, elf, SHT_DYNSYM, &image);
	if (!complete(&image) && read_tables(fd, elf, SHT_SYMTAB, &image))
		err = -EBADMSG;
	if (section)
		image.runtime = section;
	/* A broken table matters only when nothing was found despite it. */
	if (err && !image.runtime && !image.old_thread)
		return err;
	if (!image.version && (image.runtime || image.old_thread)) {
		err = version_text_find(fd, &image, &image.version);
		if (err && err != -ENOENT)
			return err;
	}
	read_notes(elf, &header, &image);
	*ret = image;
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
