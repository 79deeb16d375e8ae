// SPDX-License-Identifier: GPL-2.0-only
#include "proc/loaded_elf.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "proc/remote.h"

#define SEGMENTS_MAX	64
#define DYNAMIC_MAX	128
#define BUCKETS_MAX	(1U << 24)
#define BLOOM_MAX	(1U << 24) /* words */
#define CHAIN_MAX	1024	   /* symbols whose hash ends alike */
#define RELOCATIONS_MAX (1U << 18) /* that are looked at */
#define AT_ONCE		128
#define NAME_MAX_SIZE	64

struct loaded_table {
	__u64 address, size; /* bytes */
};

struct library {
	pid_t memory;
	__u64 base, bias;
	__u64 dynamic, dynamic_size;
	__u64 symbols, names, hash;
	__u64 relative; /* entries at the beginning of the first table that need no symbol */
	struct loaded_table relocations[2];
};

static int read_library(const struct library *l, __u64 address, void *dst, size_t size)
{
	return remote_read(l->memory, address, dst, size);
}

/* --- its headers ---------------------------------------------------------------------------------------- */

static int read_segments(struct library *l)
{
	Elf64_Phdr segments[SEGMENTS_MAX];
	Elf64_Ehdr header;
	bool is_based = false;
	int err = read_library(l, l->base, &header, sizeof(header));

	if (err)
		return err;
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_machine != EM_X86_64 || header.e_phentsize != sizeof(*segments) ||
	    header.e_phnum > SEGMENTS_MAX)
		return -EBADMSG;
	err = read_library(l, l->base + header.e_phoff, segments, header.e_phnum * sizeof(*segments));
	for (int i = 0; i < header.e_phnum && !err; i++) {
		if (segments[i].p_type == PT_LOAD && !segments[i].p_offset) {
			l->bias = l->base - segments[i].p_vaddr;
			is_based = true;
		}
		if (segments[i].p_type == PT_DYNAMIC) {
			l->dynamic = segments[i].p_vaddr;
			l->dynamic_size = segments[i].p_memsz;
		}
	}
	return err ?: is_based && l->dynamic ? 0 : -EBADMSG;
}

/* glibc adds the bias in place to what the dynamic section has; others leave it as it is in the file. */
static __u64 address_of(const struct library *l, __u64 value)
{
	return value < l->base ? value + l->bias : value;
}

static void take_entry(struct library *l, const Elf64_Dyn *d)
{
	switch (d->d_tag) {
	case DT_SYMTAB: l->symbols = address_of(l, d->d_un.d_ptr); break;
	case DT_STRTAB: l->names = address_of(l, d->d_un.d_ptr); break;
	case DT_GNU_HASH: l->hash = address_of(l, d->d_un.d_ptr); break;
	case DT_RELA: l->relocations[0].address = address_of(l, d->d_un.d_ptr); break;
	case DT_RELASZ: l->relocations[0].size = d->d_un.d_val; break;
	case DT_RELACOUNT: l->relative = d->d_un.d_val; break;
	case DT_JMPREL: l->relocations[1].address = address_of(l, d->d_un.d_ptr); break;
	case DT_PLTRELSZ: l->relocations[1].size = d->d_un.d_val; break;
	default: break;
	}
}

static int read_dynamic(struct library *l)
{
	Elf64_Dyn entries[DYNAMIC_MAX];
	const __u64 count = l->dynamic_size / sizeof(*entries);
	int err;

	l->dynamic += l->bias;
	if (count > DYNAMIC_MAX)
		return -EBADMSG;
	err = read_library(l, l->dynamic, entries, count * sizeof(*entries));
	for (__u64 i = 0; i < count && !err && entries[i].d_tag != DT_NULL; i++)
		take_entry(l, &entries[i]);
	return err ?: l->symbols && l->names ? 0 : -EBADMSG;
}

/* --- the symbol ----------------------------------------------------------------------------------------- */

static __u32 hash_of(const char *name)
{
	__u32 hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

/* Whether this symbol has the name. */
static int check_symbol(const struct library *l, __u32 index, const char *name, Elf64_Sym *ret)
{
	char text[NAME_MAX_SIZE];
	const size_t size = strlen(name) + 1;
	int err = read_library(l, l->symbols + index * sizeof(*ret), ret, sizeof(*ret));

	if (err || size > sizeof(text))
		return err ?: -EINVAL;
	err = read_library(l, l->names + ret->st_name, text, size);
	return err ?: memcmp(text, name, size) ? -ENOENT : 0;
}

/* Of the symbols from this one on, whose hashes end alike. */
static int walk_chain(const struct library *l, __u64 chain, __u32 index, const char *name, __u32 *ret_index,
		      Elf64_Sym *ret)
{
	const __u32 hash = hash_of(name);

	for (__u32 i = 0; i < CHAIN_MAX; i++, index++) {
		__u32 have;
		int err = read_library(l, chain + index * sizeof(have), &have, sizeof(have));

		if (!err && (have | 1) == (hash | 1))
			err = check_symbol(l, index, name, ret);
		else if (!err)
			err = -ENOENT;
		*ret_index = index;
		if (err != -ENOENT || have & 1)
			return err;
	}
	return -ENOENT;
}

/* By DT_GNU_HASH: most libraries are done with one bit of its filter. */
static int find_symbol(const struct library *l, const char *name, __u32 *ret_index, Elf64_Sym *ret)
{
	struct {
		__u32 buckets, first, words, shift;
	} head;
	const __u32 hash = hash_of(name);
	__u64 filter, buckets;
	__u32 index;
	int err = l->hash ? read_library(l, l->hash, &head, sizeof(head)) : -ENOENT;

	if (err)
		return err;
	if (!head.buckets || head.buckets > BUCKETS_MAX || !head.words || head.words > BLOOM_MAX ||
	    head.shift > 31)
		return -EBADMSG;
	err = read_library(l, l->hash + sizeof(head) + hash / 64 % head.words * sizeof(filter), &filter,
			   sizeof(filter));
	if (err || !(filter >> hash % 64 & filter >> (hash >> head.shift) % 64 & 1))
		return err ?: -ENOENT;
	buckets = l->hash + sizeof(head) + head.words * sizeof(filter);
	err = read_library(l, buckets + hash % head.buckets * sizeof(index), &index, sizeof(index));
	if (err || index < head.first)
		return err ?: -ENOENT;
	return walk_chain(l, buckets + (head.buckets - (__u64)head.first) * sizeof(index), index, name,
			  ret_index, ret);
}

/* --- what the loader has written ------------------------------------------------------------------------ */

/*
 * Those without a symbol are of the library itself: its number, and of a descriptor the offset is what is
 * added.
 */
static void take_relocation(const struct library *l, const Elf64_Rela *r, __u32 symbol,
			    struct loaded_tls *tls)
{
	const __u32 of = ELF64_R_SYM(r->r_info);
	const bool is_own = of == symbol && !r->r_addend;
	const __u64 at = l->bias + r->r_offset;

	switch (ELF64_R_TYPE(r->r_info)) {
	case R_X86_64_TLSDESC:
		if (is_own || (!of && (__u64)r->r_addend == tls->offset))
			tls->words[LOADED_TLS_DESCRIPTOR] = at;
		break;
	case R_X86_64_DTPMOD64:
		if (is_own || !of)
			tls->words[LOADED_TLS_INDEX] = at;
		break;
	case R_X86_64_TPOFF64:
		if (is_own || (!of && (__u64)r->r_addend == tls->offset))
			tls->words[LOADED_TLS_OFFSET] = at;
		break;
	default:
		break;
	}
}

static int read_relocations(const struct library *l, const struct loaded_table *t, __u64 skipped,
			    __u32 symbol,
			    struct loaded_tls *tls)
{
	const __u64 count = t->size / sizeof(Elf64_Rela);
	Elf64_Rela some[AT_ONCE];
	int err = 0;

	if (skipped > count || count - skipped > RELOCATIONS_MAX)
		return -EBADMSG;
	for (__u64 i = skipped; i < count && !err; i += AT_ONCE) {
		const __u64 n = count - i < AT_ONCE ? count - i : AT_ONCE;

		err = read_library(l, t->address + i * sizeof(*some), some, n * sizeof(*some));
		for (__u64 j = 0; j < n && !err; j++)
			take_relocation(l, &some[j], symbol, tls);
	}
	return err;
}

int loaded_elf_find(pid_t memory, __u64 base, const char *name, struct loaded_tls *ret)
{
	struct library l = { .memory = memory, .base = base };
	struct loaded_tls tls = {};
	Elf64_Sym symbol;
	__u32 index;
	int err = read_segments(&l) ?: read_dynamic(&l) ?: find_symbol(&l, name, &index, &symbol);

	if (err)
		return err;
	if (ELF64_ST_TYPE(symbol.st_info) != STT_TLS || symbol.st_shndx == SHN_UNDEF)
		return -ENOENT;
	tls.offset = symbol.st_value;
	err = read_relocations(&l, &l.relocations[0], l.relative, index, &tls) ?:
	      read_relocations(&l, &l.relocations[1], 0, index, &tls);
	if (!err)
		*ret = tls;
	return err;
}
