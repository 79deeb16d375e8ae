/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * image.h - one program of a BPF object with all functions that it calls, in the order in which libbpf hands
 * them to the kernel, and its tables as memory of this process. It is our own object: what it is not
 * expected to have ends the program.
 */
#ifndef PYPERF_TESTS_LINES_IMAGE_H
#define PYPERF_TESTS_LINES_IMAGE_H

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/types.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define INSNS_MAX     65536
#define FUNCTIONS_MAX 128
#define SECTIONS_MAX  128
#define TABLES_MAX    48

/* As in BPF's ELF objects: llvm/BinaryFormat/ELFRelocs/BPF.def. */
#define RELOCATION_64 1
#define RELOCATION_CALL 10

enum operand { OPERAND_PLAIN, OPERAND_MEMORY, OPERAND_TABLE, OPERAND_FUNCTION };

struct insn {
	__u8 code, dst, src;
	__s16 off;
	__s32 imm;
	__u64 value;	   /* of a load of 64 bits: a number, an address, struct table *, or a function */
	enum operand what; /* that value is */
	int target;	   /* where a jump or a call goes, as an index */
	const char *file;  /* of the source */
	int function;
	bool live;	 /* the kernel keeps it, with these options */
	int calls_table; /* of a look-up: number of its table plus one */
	__u32 at, size;	 /* in the image of machine code */
	int ran;	 /* the last run that came here */
};

struct function {
	const char *name;
	int first, last, stack; /* instructions; bytes of its own on the stack */
	int section;
	__u64 start, bytes; /* in its section */
};

/* A map, or a section of variables. */
struct table {
	const char *name;
	__u8 *memory;
	size_t size, value; /* bytes in all, and of an entry */
	bool read_only, hash;
};

static struct {
	const __u8 *file;
	const Elf64_Shdr *sections;
	const Elf64_Sym *symbols;
	const char *names, *btf_strings;
	int section_count, symbol_count, table_count, function_count, insn_count;
	struct table tables[TABLES_MAX];
	struct table *of_section[SECTIONS_MAX];
	struct function functions[FUNCTIONS_MAX];
	struct insn insns[INSNS_MAX];
} image;

static inline void __attribute__((format(printf, 1, 2), noreturn)) die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("lines: ", stderr);
	vfprintf(stderr, format, args);
	fputs("\n", stderr);
	exit(1);
}

static inline const void *section_bytes(int number)
{
	return image.file + image.sections[number].sh_offset;
}

static inline const char *section_name(int number)
{
	const Elf64_Shdr *names = &image.sections[((const Elf64_Ehdr *)image.file)->e_shstrndx];

	return (const char *)image.file + names->sh_offset + image.sections[number].sh_name;
}

static inline int section_find(const char *name)
{
	for (int i = 1; i < image.section_count; i++)
		if (!strcmp(section_name(i), name))
			return i;
	die("the object has no section %s", name);
}

static inline const char *symbol_name(const Elf64_Sym *symbol)
{
	return image.names + symbol->st_name;
}

static inline const Elf64_Sym *symbol_find(const char *name)
{
	for (int i = 0; i < image.symbol_count; i++)
		if (!strcmp(symbol_name(&image.symbols[i]), name))
			return &image.symbols[i];
	die("the object has no symbol %s", name);
}

/* The function that begins there. */
static inline const Elf64_Sym *symbol_of_function(int section, __u64 offset)
{
	for (int i = 0; i < image.symbol_count; i++) {
		const Elf64_Sym *s = &image.symbols[i];

		if (ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_shndx == section && s->st_value == offset)
			return s;
	}
	die("no function begins at %llu of section %d", offset, section);
}

/* Where tables lie is the same in every run: addresses decide which line something is in. */
static inline __u8 *table_memory(size_t size)
{
	static unsigned long next = 0x310000000000UL;
	const size_t pages = (size + 8191) & ~4095UL;
	__u8 *p = mmap((void *)next, pages, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);

	if (p != (void *)next)
		die("no memory: %s", strerror(errno));
	next += (pages + (1UL << 30)) & ~((1UL << 30) - 1);
	return p;
}

static inline struct table *table_add(const char *name, size_t size, size_t value, size_t offset)
{
	struct table *t = &image.tables[image.table_count++];

	if (image.table_count > TABLES_MAX)
		die("too many tables");
	*t = (struct table){ .name = name, .size = size, .value = value };
	t->memory = table_memory(size + offset) + offset;
	return t;
}

static inline struct table *table_find(const char *name)
{
	for (int i = 0; i < image.table_count; i++)
		if (!strcmp(image.tables[i].name, name))
			return &image.tables[i];
	die("the measurement does not know of the table %s: add it in tests/bench/lines.c", name);
}

/* The same, or a new one, in which a tick of a common kind has nothing to look for. */
static inline struct table *table_of(const char *name)
{
	for (int i = 0; i < image.table_count; i++)
		if (!strcmp(image.tables[i].name, name))
			return &image.tables[i];
	return table_add(name, 4096, 4096, 0);
}

/* A variable of the programs. */
static inline void *image_variable(const char *name)
{
	const Elf64_Sym *s = symbol_find(name);

	if (!image.of_section[s->st_shndx])
		die("%s is no variable", name);
	return image.of_section[s->st_shndx]->memory + s->st_value;
}

/* Sections that hold variables become tables. */
static inline void image_variables(void)
{
	for (int i = 1; i < image.section_count; i++) {
		const Elf64_Shdr *s = &image.sections[i];
		const char *name = section_name(i);

		if (strncmp(name, ".rodata", 7) && strcmp(name, ".bss") && strcmp(name, ".data"))
			continue;
		image.of_section[i] = table_add(name, s->sh_size, s->sh_size, 0);
		image.of_section[i]->read_only = name[1] == 'r';
		if (s->sh_type != SHT_NOBITS)
			memcpy(image.of_section[i]->memory, section_bytes(i), s->sh_size);
	}
}

static int image_function(int section, __u64 offset);

/* The relocation of the instruction at this offset of a section, if it has one. */
static inline const Elf64_Rel *relocation_at(int section, __u64 offset)
{
	for (int i = 1; i < image.section_count; i++) {
		const Elf64_Shdr *s = &image.sections[i];
		const Elf64_Rel *all = section_bytes(i);

		if (s->sh_type != SHT_REL || s->sh_info != (__u32)section)
			continue;
		for (size_t k = 0; k < s->sh_size / sizeof(*all); k++)
			if (all[k].r_offset == offset)
				return &all[k];
	}
	return NULL;
}

/* A load of 64 bits: what its value is. */
static inline void relocate_load(struct insn *i, const Elf64_Rel *relocation)
{
	const Elf64_Sym *s = &image.symbols[ELF64_R_SYM(relocation->r_info)];

	if (!strcmp(section_name(s->st_shndx), ".maps")) {
		i->what = OPERAND_TABLE;
		i->value = (unsigned long)table_of(symbol_name(s));
	} else if (image.of_section[s->st_shndx]) {
		i->what = OPERAND_MEMORY;
		i->value = (unsigned long)image.of_section[s->st_shndx]->memory + s->st_value + i->imm;
	} else {
		i->what = OPERAND_FUNCTION;
		i->value = image_function(s->st_shndx, s->st_value + (__u32)i->imm);
	}
}

/* The function that a call goes to. at: where the call is in its section. */
static inline int relocate_call(const struct insn *i, int section, __u64 at, const Elf64_Rel *relocation)
{
	const Elf64_Sym *s;

	if (!relocation)
		return image_function(section, at + 8 + 8LL * i->imm);
	s = &image.symbols[ELF64_R_SYM(relocation->r_info)];
	return image_function(s->st_shndx, s->st_value + 8 + 8LL * i->imm);
}

static inline void image_copy(struct function *f, int number)
{
	const struct bpf_insn *from = (const void *)((const __u8 *)section_bytes(f->section) + f->start);

	f->first = image.insn_count;
	for (__u64 i = 0; i < f->bytes / 8; i++) {
		struct insn *to = &image.insns[image.insn_count++];

		if (image.insn_count >= INSNS_MAX)
			die("too many instructions");
		*to = (struct insn){ .code = from[i].code, .dst = from[i].dst_reg, .src = from[i].src_reg,
				     .off = from[i].off, .imm = from[i].imm, .function = number };
	}
	f->last = image.insn_count;
}

static inline void image_relocate(struct function *f)
{
	for (int at = f->first; at < f->last; at++) {
		struct insn *i = &image.insns[at];
		const __u64 offset = f->start + 8ULL * (at - f->first);
		const __u8 class = BPF_CLASS(i->code), operation = BPF_OP(i->code);

		if (i->code == (BPF_LD | BPF_IMM | BPF_DW)) {
			const Elf64_Rel *relocation = relocation_at(f->section, offset);

			i->value = (__u32)i->imm | (__u64)(__u32)i[1].imm << 32;
			if (relocation)
				relocate_load(i, relocation);
			at++;
		} else if (i->code == (BPF_JMP | BPF_CALL) && i->src == BPF_PSEUDO_CALL) {
			i->target = relocate_call(i, f->section, offset, relocation_at(f->section, offset));
		} else if ((class == BPF_JMP || class == BPF_JMP32) && operation != BPF_CALL &&
			   operation != BPF_EXIT) {
			i->target = at + 1 + i->off;
		}
	}
}

/* Adds a function and all that it calls. Returns its number. */
static int image_function(int section, __u64 offset)
{
	const Elf64_Sym *s = symbol_of_function(section, offset);
	const int number = image.function_count;
	struct function *f = &image.functions[number];

	for (int i = 0; i < image.function_count; i++)
		if (image.functions[i].section == section && image.functions[i].start == offset)
			return i;
	if (image.function_count++ == FUNCTIONS_MAX)
		die("too many functions");
	*f = (struct function){ .name = symbol_name(s), .section = section, .start = offset,
				.bytes = s->st_size };
	image_copy(f, number);
	image_relocate(f);
	return number;
}

/* linux/btf.h and libbpf's btf.h: the header of .BTF.ext, and a row of its lines. */
struct btf_ext {
	__u16 magic;
	__u8 version, flags;
	__u32 header, functions, functions_size, lines, lines_size;
};

struct line {
	__u32 offset, file, text, place;
};

static inline const char *line_file(const struct line *line)
{
	const char *name = image.btf_strings + line->file, *last = strstr(name, "bpf/");

	for (const char *next = last; next; next = strstr(next + 1, "/bpf/"))
		last = *next == '/' ? next + 1 : next;
	return last ?: name;
}

/* Each instruction is of the line before it. */
static inline void image_lines_of(const char *section, const struct line *lines, __u32 count, __u32 size)
{
	for (int n = 0; n < image.function_count; n++) {
		const struct function *f = &image.functions[n];
		const char *file = "";
		__u32 k = 0;

		if (strcmp(section_name(f->section), section))
			continue;
		for (int at = f->first; at < f->last; at++) {
			const __u64 offset = f->start + 8ULL * (at - f->first);

			for (; k < count; k++) {
				const struct line *l = (const void *)((const __u8 *)lines + k * size);

				if (l->offset > offset)
					break;
				if (l->offset >= f->start)
					file = line_file(l);
			}
			image.insns[at].file = file;
		}
	}
}

static inline void image_lines(void)
{
	const struct btf_ext *ext = section_bytes(section_find(".BTF.ext"));
	const __u32 *btf = section_bytes(section_find(".BTF"));
	const __u8 *at = (const __u8 *)ext + ext->header + ext->lines, *end = at + ext->lines_size;
	const __u32 size = *(const __u32 *)at;

	image.btf_strings = (const char *)btf + btf[1] + btf[4]; /* struct btf_header: hdr_len, str_off */
	for (at += 4; at < end;) {
		const __u32 *row = (const __u32 *)at;

		image_lines_of(image.btf_strings + row[0], (const struct line *)(row + 2), row[1], size);
		at += 8 + row[1] * size;
	}
}

/* The object in a file, without its programs and maps. */
static inline void image_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), table;
	const Elf64_Ehdr *header;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		die("%s: %s", path, strerror(errno));
	image.file = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (image.file == MAP_FAILED)
		die("%s: %s", path, strerror(errno));
	close(fd);
	header = (const void *)image.file;
	if (memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_machine != EM_BPF)
		die("%s is no BPF object", path);
	image.sections = (const void *)(image.file + header->e_shoff);
	image.section_count = header->e_shnum;
	if (image.section_count > SECTIONS_MAX)
		die("too many sections");
	table = section_find(".symtab");
	image.symbols = section_bytes(table);
	image.symbol_count = image.sections[table].sh_size / sizeof(Elf64_Sym);
	image.names = section_bytes(image.sections[table].sh_link);
	image_variables();
}

/* The program with this name, and all that it calls. */
static inline void image_program(const char *name)
{
	const Elf64_Sym *s = symbol_find(name);

	image_function(s->st_shndx, s->st_value);
	image_lines();
}

#endif
