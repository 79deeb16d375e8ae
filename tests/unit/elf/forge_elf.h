/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * forge_elf.h - makes small ELF files that look like a Python interpreter, whole or broken, for tests.
 */
#ifndef PYPERF_TESTS_FORGE_ELF_H
#define PYPERF_TESTS_FORGE_ELF_H

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/types.h>

/* Offsets in the file. The data segment's address is a page above its offset, as linkers do it. */
#define FORGE_VERSION  0x800 /* Py_Version, in the read-only segment */
#define FORGE_TEXTS    0x900 /* what the interpreter says of itself, in the same segment */
#define FORGE_NOTE     0x400
#define FORGE_TEXT     0x1000
#define FORGE_DATA     0x2000
#define FORGE_SHIFT    0x1000
#define FORGE_RUNTIME  0x2100
#define FORGE_SYMBOLS  0x3000
#define FORGE_STRINGS  0x3800
#define FORGE_NAMES    0x3c00
#define FORGE_SECTIONS 0x3e00
#define FORGE_SIZE     0x4400

#define FORGE_RUNTIME_ADDRESS (FORGE_RUNTIME + FORGE_SHIFT)

struct forge {
	unsigned char bytes[FORGE_SIZE];
	unsigned int symbols, strings;
};

static inline Elf64_Ehdr *forge_header(struct forge *f)
{
	return (Elf64_Ehdr *)f->bytes;
}

static inline Elf64_Phdr *forge_segment(struct forge *f, int i)
{
	return (Elf64_Phdr *)(f->bytes + sizeof(Elf64_Ehdr)) + i;
}

/* 0 null, 1 symbols, 2 their strings, 3 .PyRuntime, 4 names of sections */
static inline Elf64_Shdr *forge_section(struct forge *f, int i)
{
	return (Elf64_Shdr *)(f->bytes + FORGE_SECTIONS) + i;
}

static inline void forge_symbol(struct forge *f, const char *name, __u64 value, __u64 size)
{
	Elf64_Sym symbol = { .st_name = f->strings,
			     .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
			     .st_shndx = 3,
			     .st_value = value,
			     .st_size = size };

	memcpy(f->bytes + FORGE_SYMBOLS + f->symbols++ * sizeof(symbol), &symbol, sizeof(symbol));
	strcpy((char *)f->bytes + FORGE_STRINGS + f->strings, name);
	f->strings += strlen(name) + 1;
	forge_section(f, 1)->sh_size = f->symbols * sizeof(symbol);
	forge_section(f, 2)->sh_size = f->strings;
}

static inline void forge_headers(struct forge *f)
{
	Elf64_Ehdr *header = forge_header(f);

	memcpy(header->e_ident, ELFMAG, SELFMAG);
	header->e_ident[EI_CLASS] = ELFCLASS64;
	header->e_ident[EI_DATA] = ELFDATA2LSB;
	header->e_ident[EI_VERSION] = EV_CURRENT;
	header->e_type = ET_DYN;
#ifdef __aarch64__
	header->e_machine = EM_AARCH64;
#else
	header->e_machine = EM_X86_64;
#endif
	header->e_version = EV_CURRENT;
	header->e_ehsize = sizeof(*header);
	header->e_phoff = sizeof(*header);
	header->e_phentsize = sizeof(Elf64_Phdr);
	header->e_phnum = 4;
	header->e_shoff = FORGE_SECTIONS;
	header->e_shentsize = sizeof(Elf64_Shdr);
	header->e_shnum = 5;
	header->e_shstrndx = 4;
	*forge_segment(f, 0) = (Elf64_Phdr){ PT_LOAD, PF_R, 0, 0, 0, 0x1000, 0x1000, 0x1000 };
	*forge_segment(f, 1) = (Elf64_Phdr){ PT_LOAD,	 PF_R | PF_X, FORGE_TEXT, FORGE_TEXT,
					     FORGE_TEXT, 0x1000,      0x1000,	  0x1000 };
	*forge_segment(f, 2) = (Elf64_Phdr){
		PT_LOAD, PF_R | PF_W, FORGE_DATA, FORGE_DATA + FORGE_SHIFT, FORGE_DATA + FORGE_SHIFT,
		0x1000,	 0x1000,      0x1000
	};
	*forge_segment(f, 3) = (Elf64_Phdr){ PT_NOTE, PF_R, FORGE_NOTE, FORGE_NOTE, FORGE_NOTE, 36, 36, 4 };
}

static inline void forge_sections(struct forge *f)
{
	static const char names[] = "\0.dynsym\0.dynstr\0.PyRuntime\0.shstrtab";

	memcpy(f->bytes + FORGE_NAMES, names, sizeof(names));
	*forge_section(f, 1) = (Elf64_Shdr){ .sh_name = 1,
					     .sh_type = SHT_DYNSYM,
					     .sh_offset = FORGE_SYMBOLS,
					     .sh_link = 2,
					     .sh_entsize = sizeof(Elf64_Sym),
					     .sh_addralign = 8 };
	*forge_section(f, 2) = (Elf64_Shdr){
		.sh_name = 9, .sh_type = SHT_STRTAB, .sh_offset = FORGE_STRINGS, .sh_addralign = 1
	};
	*forge_section(f, 3) = (Elf64_Shdr){ .sh_name = 17,
					     .sh_type = SHT_PROGBITS,
					     .sh_flags = SHF_ALLOC | SHF_WRITE,
					     .sh_addr = FORGE_RUNTIME_ADDRESS,
					     .sh_offset = FORGE_RUNTIME,
					     .sh_size = 0x800,
					     .sh_addralign = 32 };
	*forge_section(f, 4) = (Elf64_Shdr){ .sh_name = 28,
					     .sh_type = SHT_STRTAB,
					     .sh_offset = FORGE_NAMES,
					     .sh_size = sizeof(names),
					     .sh_addralign = 1 };
	f->symbols = 1;
	f->strings = 1;
}

/* A library of the given version. Without a section, _PyRuntime is only a symbol. */
static inline void forge_python(struct forge *f, __u32 hexversion)
{
	static const __u32 note[] = { 4, 20, NT_GNU_BUILD_ID, 0x554e47 /* "GNU" */ };
	__u64 version = hexversion;

	memset(f, 0, sizeof(*f));
	forge_headers(f);
	forge_sections(f);
	memcpy(f->bytes + FORGE_NOTE, note, sizeof(note));
	memset(f->bytes + FORGE_NOTE + sizeof(note), 0xab, 20);
	memcpy(f->bytes + FORGE_VERSION, &version, sizeof(version));
	forge_symbol(f, "_PyRuntime", FORGE_RUNTIME_ADDRESS, 0x800);
	if (hexversion)
		forge_symbol(f, "Py_Version", FORGE_VERSION, 8);
}

/* A text in the read-only data, at FORGE_TEXTS + at; with its NUL. */
static inline void forge_string(struct forge *f, unsigned int at, const char *text)
{
	strcpy((char *)f->bytes + FORGE_TEXTS + at, text);
}

/*
 * A library up to 3.10, whose version only its texts tell. 2.7, 3.6: the variables that were there before
 * _PyRuntime.
 */
static inline void forge_old_python(struct forge *f, const char *tag, const char *version)
{
	forge_python(f, 0);
	forge_string(f, 1, tag);
	forge_string(f, 65, version);
	forge_section(f, 3)->sh_name = 1;
	if (*tag && strcmp(tag, "cpython-36"))
		return;
	memcpy(f->bytes + FORGE_STRINGS + 1, "_XyRuntime", 10);
	forge_symbol(f, "interp_head.lto_priv.0", FORGE_RUNTIME_ADDRESS + 0x10, 8);
	forge_symbol(f, "_PyThreadState_Current", FORGE_RUNTIME_ADDRESS + 0x20, 8);
	if (!*tag) /* Python 2 */
		forge_symbol(f, "PyClass_Type", FORGE_RUNTIME_ADDRESS + 0x40, 400);
}

static inline int forge_write(const struct forge *f, size_t size)
{
	int fd = memfd_create("forged", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, f->bytes, size) != (ssize_t)size)
		_exit(99);
	return fd;
}

#endif
