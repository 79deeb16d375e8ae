/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * natives.h - the files with code that processes have mapped, and the names of their functions. Each file has
 * an interval of the text space (bpf/abi/native.h), which it keeps until no process has it mapped, and no
 * node of the call tree has a position in it any more. So a position that the kernel side has counted means
 * the same as long as it is there.
 */
#ifndef PYPERF_NAMES_NATIVES_H
#define PYPERF_NAMES_NATIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "elf/functions.h"
#include "proc/code_maps.h"

#define NATIVES_FILES_MAX 16384
#define NATIVES_BYTES_MAX (96 << 20) /* of names and functions of all files */
#define NATIVES_NONE	  (~0U)	     /* no file */

struct jits;
struct native_lines;
struct natives;

struct native_file {
	__u64 base;		    /* position of its first byte */
	__u32 number;		    /* natives_file() */
	const char *path;	    /* as those who have it mapped see it; the store's */
	bool is_known;		    /* natives_functions() has had them */
	struct functions functions; /* if they are known */
	char build_id[2 * IMAGE_BUILD_ID_MAX + 1];
};

int natives_new(struct natives **ret);
void natives_free(struct natives *n);
/* The store of code of no file, which natives_find() searches, too. NULL of NULL: there is no native code. */
struct jits *natives_jits(struct natives *n);
/* The store of lines of source, and of names that are had one by one. NULL before natives_want_lines(). */
struct native_lines *natives_lines(const struct natives *n);
/* From now on there can be lines. 0 or -ENOMEM. */
int natives_want_lines(struct natives *n);

/*
 * The number of the file behind a mapping of a file that was reached, under this path; added if it is new. It
 * is in use as of now. Numbers are below NATIVES_FILES_MAX. -ENOSPC when there are so many, the text space is
 * used up, or the process's owner has as much as is left (shares.h); -EFBIG for one above 4 GiB; -ENOMEM.
 */
int natives_file(struct natives *n, const struct code_map *map, __u32 *ret);

/* The number of the file that has this position; NATIVES_NONE if none has. */
__u32 natives_file_at(const struct natives *n, __u64 position);
/* Another one each time that the number is another file's. Who keeps a number keeps this, too, to know. */
__u32 natives_serial(const struct natives *n, __u32 file);
/* Whether the number is nobody's by now, or another file's than when this was its serial. */
bool natives_is_other(const struct natives *n, __u32 file, __u32 serial);
/* What the file was known by. */
struct code_file natives_key(const struct natives *n, __u32 file);
/* NULL if no file has this number. Valid until it is given back. */
const struct native_file *natives_get(const struct natives *n, __u32 file);

/*
 * Takes the bytes of functions_read(), which it copies. 0, -EBADMSG, -ENOMEM, or -ENOSPC beyond
 * NATIVES_BYTES_MAX or the owner's share of it.
 */
int natives_functions(struct natives *n, __u32 file, const void *bytes, size_t size);

/*
 * A look at what is mapped, as in intervals.h, of files and of code of no file, which jits_see() is about.
 * Turns are those of the call tree: after two of them no bank has a position of what was unused since before.
 */
void natives_begin_look(struct natives *n);
void natives_see(struct natives *n, __u32 file);
void natives_end_look(struct natives *n, __u32 turn);
/*
 * Gives back numbers, positions, names and lines of what is unused for so long, in this turn. Returns of how
 * many files and regions.
 */
__u32 natives_give_back(struct natives *n, __u32 turn);
/*
 * Of numbers, positions and bytes of names, whatever is scarcest: which part is taken, and which part is of
 * what was unused at the last look. 0 to 1.
 */
double natives_fullness(const struct natives *n);
double natives_unused(const struct natives *n);
/* How often something has found no room. */
__u64 natives_refused(const struct natives *n);
/* Somebody has found no more room in the kernel side's table, which is counted here. */
void natives_table_refused(struct natives *n);

/* What is taken now. */
struct natives_stats {
	__u32 files, regions;
	__u64 positions; /* bytes of the text space, of files and of regions */
	size_t name_bytes;
	__u64 table_refused; /* natives_table_refused() */
};

struct natives_stats natives_get_stats(const struct natives *n);

/* What is at a position. Strings are the store's; name is "" if it is not known. */
struct native_place {
	const char *name;
	const char *path;     /* "[vdso]"; "[JIT]" for memory of no file */
	const char *build_id; /* hexadecimal; "" = unknown */
	__u64 offset;	      /* in the file */
	bool is_even;	      /* if offset and shift are an address of the file */
	__u64 shift;
	__u64 begin; /* of the function that this is in; the same as offset where functions are not known */
};

/*
 * Whether this is the name of the interpreter's loop (Python/ceval.c), of a cold part of it that the compiler
 * has put elsewhere, or of one of the functions into which builds with tail calls have cut it (3.14).
 */
bool natives_is_loop(const char *name);

/* False for a position that nothing was given. */
bool natives_find(const struct natives *n, __u64 position, struct native_place *ret);

#endif
