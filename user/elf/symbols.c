// SPDX-License-Identifier: GPL-2.0-only
#include "elf/symbols.h"

#include <errno.h>
#include <string.h>

#define SYMBOLS_MAX  (64 << 20)  /* bytes of all tables; a debug build of a browser has about 30 MiB */
#define NAMES_MAX    (256 << 20) /* bytes of their names */
#define COMPARED_MAX 64 /* of two names: those of a million symbols may be alike for as long as a file is */
#define UNDERSCORES_MAX 15

struct symbol_search {
	struct elf_symbols *symbols;
	struct elf_budget left;
	symbol_fn fn;
	void *context;
};

int symbol_compare(const struct symbol *x, const struct symbol *y)
{
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return x->order != y->order ? (x->order > y->order ? -1 : 1) :
				    strncmp(x->name, y->name, COMPARED_MAX);
}

/* Lower is better: exported before local, without underscores before with, short before long. */
static __u32 rank(const GElf_Sym *symbol, const char *name)
{
	__u32 underscores = 0, length = strnlen(name, 255);

	while (underscores < UNDERSCORES_MAX && name[underscores] == '_')
		underscores++;
	return (GELF_ST_BIND(symbol->st_info) == STB_LOCAL) << 16 | underscores << 8 | length;
}

static int take_function_symbol(const struct symbol_search *search, const GElf_Sym *symbol, const char *name)
{
	const int type = GELF_ST_TYPE(symbol->st_info);
	struct symbol s = { .name = name };

	if ((type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) || !*name || !symbol->st_size ||
	    symbol->st_shndx == SHN_UNDEF ||
	    !code_loads_find(&search->symbols->loads, symbol->st_value, symbol->st_size, &s.begin, &s.end))
		return 0;
	s.order = rank(symbol, name);
	return search->fn(search->context, &s);
}

static int read_symbol_section(struct symbol_search *search, Elf *elf, Elf_Scn *section,
			       const GElf_Shdr *header)
{
	Elf_Data *data, *text;
	int err = 0;

	if (elf_file_symbols(elf, section, header, &search->left, &data, &text))
		return 0;
	for (size_t i = 0; !err && i < data->d_size / sizeof(Elf64_Sym); i++) {
		GElf_Sym symbol;

		if (gelf_getsym(data, i, &symbol) && symbol.st_name < text->d_size)
			err = take_function_symbol(search, &symbol,
						   (const char *)text->d_buf + symbol.st_name);
	}
	return err;
}

static int read_tables(struct symbol_search *search, Elf *elf)
{
	Elf_Scn *section = NULL;
	int err = 0;

	while (!err && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header) ||
		    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		search->symbols->has_table |= header.sh_type == SHT_SYMTAB;
		err = read_symbol_section(search, elf, section, &header);
	}
	return err;
}

/* A table that is broken or too large has no names for us, and that is all. */
static int read_minidebug(struct symbol_search *search)
{
	struct elf_symbols *s = search->symbols;
	int err = s->minidebug.elf ? 0 : minidebug_open(s->elf, &s->minidebug);

	return err ? (err == -ENOMEM ? err : 0) : read_tables(search, s->minidebug.elf);
}

/* A debug file counts only if it is of the same build: then its addresses are those of the file. */
static void open_debug_symbols(struct elf_symbols *s, int fd)
{
	__u8 id[IMAGE_BUILD_ID_MAX], size = 0;
	Elf64_Ehdr header;

	if (fd < 0 || !s->build_id_size || elf_file_header(fd, &header) || elf_file_open(fd, &s->debug))
		return;
	elf_file_build_id(s->debug, &header, id, &size);
	if (size == s->build_id_size && !memcmp(id, s->build_id, size))
		return;
	elf_file_cleanup(&s->debug);
	s->debug = NULL;
}

int symbols_open(struct elf_symbols *s, int fd, int debug)
{
	Elf64_Ehdr header;
	int err;

	err = elf_file_header(fd, &header) ?: code_loads_read(fd, &header, &s->loads) ?:
	      elf_file_open(fd, &s->elf);
	if (err)
		return err;
	s->machine = header.e_machine;
	elf_file_build_id(s->elf, &header, s->build_id, &s->build_id_size);
	open_debug_symbols(s, debug);
	return 0;
}

void symbols_close(struct elf_symbols *s)
{
	minidebug_cleanup(&s->minidebug);
	elf_file_cleanup(&s->debug);
	elf_file_cleanup(&s->elf);
}

int symbols_each(struct elf_symbols *s, symbol_fn fn, void *context)
{
	struct symbol_search search = { s, { SYMBOLS_MAX, NAMES_MAX }, fn, context };

	return read_tables(&search, s->elf) ?: read_minidebug(&search) ?:
	       (s->debug ? read_tables(&search, s->debug) : 0);
}
