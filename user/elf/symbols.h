/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbols.h - the symbols of an ELF file that name code: those of .symtab, .dynsym and .gnu_debugdata, and of
 * a separate debug file of the same build. The files are hostile.
 */
#ifndef PYPERF_ELF_SYMBOLS_H
#define PYPERF_ELF_SYMBOLS_H

#include <stdbool.h>

#include "elf/code_file.h"
#include "elf/image.h"
#include "elf/minidebug.h"

struct symbol {
	__u32 begin, end; /* offsets in the file; end is behind it */
	const char *name; /* libelf's, as long as the files are open; not "" */
	__u32 order;	  /* of symbols of one place the lowest names it */
};

/*
 * In the order in which they cover each other: the last of those that cover a place names it. By begin; of
 * those that begin at one place the outermost first, and of equal ones the best name last. Names that begin
 * with the same 64 bytes are equal.
 */
int symbol_compare(const struct symbol *x, const struct symbol *y);

struct elf_symbols {
	struct code_loads loads;
	__u8 build_id[IMAGE_BUILD_ID_MAX];
	__u8 build_id_size; /* 0 = none */
	__u16 machine;	    /* EM_X86_64 or EM_AARCH64 */
	bool has_table;	    /* after symbols_each(): there was a .symtab, or what came from a debug file */
	Elf *elf, *debug;   /* debug: NULL if there is none of this build */
	struct minidebug minidebug;
};

/*
 * Opens a regular file and, if that is not -1, the file that has what was stripped from it; one of another
 * build is left out. 0; -ENOEXEC or -EBADMSG as image_read(), the latter also for a file without code; or
 * another -errno. Release by symbols_close(), also after an error; all zero is fine.
 */
int symbols_open(struct elf_symbols *s, int fd, int debug);
void symbols_close(struct elf_symbols *s);

/* Returns 0 to go on; anything else ends the search and is returned by it. */
typedef int (*symbol_fn)(void *context, const struct symbol *symbol);

/*
 * Tables that are broken are left out, and those for which the ones before have left no room. 0, what fn
 * returned, or -ENOMEM.
 */
int symbols_each(struct elf_symbols *s, symbol_fn fn, void *context);

#endif
