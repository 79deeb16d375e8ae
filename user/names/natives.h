/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * natives.h - the files with code that were seen in a run, and the names of their functions. Each file has an
 * interval of the text space (bpf/abi/native.h) for the whole run, so a position that the kernel side has
 * counted means the same for good.
 */
#ifndef PYPERF_NAMES_NATIVES_H
#define PYPERF_NAMES_NATIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "elf/functions.h"
#include "proc/code_maps.h"

#define NATIVES_FILES_MAX 8192
#define NATIVES_BYTES_MAX (64 << 20) /* of names and functions of all files */

struct jits;
struct native_lines;
struct natives;

struct native_file {
	__u64 base;	  /* position of its first byte */
	const char *path; /* as a process saw it; the store's */
	bool is_known;	  /* natives_functions() has had them */
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
 * The number of the file behind a mapping of a file that was reached; added if it is new. -ENOSPC when there
 * are NATIVES_FILES_MAX, or the text space is used up; -ENOMEM.
 */
int natives_file(struct natives *n, const struct code_map *map, __u32 *ret);

__u32 natives_count(const struct natives *n);
/* The number of the file that has this position; natives_count() if none has. */
__u32 natives_file_at(const struct natives *n, __u64 position);
/* The identity by which the file was found. */
struct code_file natives_key(const struct natives *n, __u32 file);
/* The file with a number from natives_file(). Valid until the next call of natives_file(). */
const struct native_file *natives_get(const struct natives *n, __u32 file);

/*
 * Takes the bytes of functions_read(), which it copies. 0, -EBADMSG, -ENOMEM, or -ENOSPC beyond
 * NATIVES_BYTES_MAX.
 */
int natives_functions(struct natives *n, __u32 file, const void *bytes, size_t size);

/* The place in code at a position. Strings are the store's; name is "" if it is not known. */
struct native_place {
	const char *name;
	const char *path; /* "[vdso]"; "[JIT]" for memory of no file */
	const char *build_id; /* hexadecimal; "" = unknown */
	__u64 offset; /* in the file */
	bool is_even; /* if offset and shift are an address of the file */
	__u64 shift;
	__u64 begin;  /* of the function that this is in; the same as offset where functions are not known */
};

/*
 * Whether this is the name of the interpreter's loop (Python/ceval.c), of a cold part of it that the compiler
 * has put elsewhere, or of one of the functions into which builds with tail calls have cut it (3.14).
 */
bool natives_is_loop(const char *name);

/* False for a position that nothing was given. */
bool natives_find(const struct natives *n, __u64 position, struct native_place *ret);

#endif
