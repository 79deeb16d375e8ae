/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * library.h - a library as the dynamic loader leaves it in memory, with one thread-local variable of a name,
 * forged: what is found of it is made of nothing but these few tables.
 */
#ifndef PYPERF_TESTS_LIBRARY_H
#define PYPERF_TESTS_LIBRARY_H

#include <elf.h>
#include <linux/types.h>
#include <stddef.h>
#include <string.h>

#define LIBRARY_OFFSET 0x48 /* of the variable among those of the library */
#define LIBRARY_SYMBOL 2    /* its number */

enum { RELATIVE, FIRST, SECOND, RELOCATIONS };

struct library {
	Elf64_Ehdr header;
	Elf64_Phdr segments[2];
	Elf64_Dyn dynamic[9];
	struct {
		__u32 buckets, first, words, shift;
		__u64 filter;
		__u32 bucket, chain[2];
	} hash;
	Elf64_Sym symbols[3];
	char names[32];
	Elf64_Rela relocations[RELOCATIONS], by_name[1];
	__u64 words[4]; /* that the loader writes */
};

#define LIBRARY_AT(member_) offsetof(struct library, member_)

static inline __u32 library_hash(const char *name)
{
	__u32 hash = 5381;

	while (*name)
		hash = hash * 33 + (unsigned char)*name++;
	return hash;
}

/* With addresses as in its file. */
static inline void library_forge(struct library *l, const char *name)
{
	memset(l, 0, sizeof(*l));
	memcpy(l->header.e_ident, ELFMAG, SELFMAG);
	l->header.e_ident[EI_CLASS] = ELFCLASS64;
	l->header.e_machine = EM_X86_64;
	l->header.e_phoff = LIBRARY_AT(segments);
	l->header.e_phnum = 2;
	l->header.e_phentsize = sizeof(Elf64_Phdr);
	l->segments[0] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_memsz = sizeof(*l) };
	l->segments[1] = (Elf64_Phdr){ .p_type = PT_DYNAMIC, .p_vaddr = LIBRARY_AT(dynamic),
				       .p_memsz = sizeof(l->dynamic) };
	l->dynamic[0] = (Elf64_Dyn){ DT_SYMTAB, { LIBRARY_AT(symbols) } };
	l->dynamic[1] = (Elf64_Dyn){ DT_STRTAB, { LIBRARY_AT(names) } };
	l->dynamic[2] = (Elf64_Dyn){ DT_GNU_HASH, { LIBRARY_AT(hash) } };
	l->dynamic[3] = (Elf64_Dyn){ DT_RELA, { LIBRARY_AT(relocations) } };
	l->dynamic[4] = (Elf64_Dyn){ DT_RELASZ, { sizeof(l->relocations) } };
	l->dynamic[5] = (Elf64_Dyn){ DT_RELACOUNT, { 1 } };
	l->dynamic[6] = (Elf64_Dyn){ DT_JMPREL, { LIBRARY_AT(by_name) } };
	l->dynamic[7] = (Elf64_Dyn){ DT_PLTRELSZ, { sizeof(l->by_name) } };
	l->hash.buckets = l->hash.words = l->hash.first = l->hash.bucket = 1;
	l->hash.filter = ~0ULL;
	l->hash.chain[0] = library_hash("another") & ~1U;
	l->hash.chain[1] = library_hash(name) | 1;
	strcpy(l->names + 1, name);
	l->symbols[LIBRARY_SYMBOL] = (Elf64_Sym){ .st_name = 1, .st_info = STT_TLS, .st_shndx = 1,
						  .st_value = LIBRARY_OFFSET };
}

/* What has the loader write one of the words. */
static inline Elf64_Rela library_relocation(__u32 symbol, __u32 type, int word, __s64 addend)
{
	return (Elf64_Rela){ LIBRARY_AT(words) + word * sizeof(__u64), ELF64_R_INFO((__u64)symbol, type),
			     addend };
}

#endif
