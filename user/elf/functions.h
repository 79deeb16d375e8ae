/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * functions.h - the functions of an ELF file: where each begins, by offset in the file, and what it is
 * called. From .eh_frame, .symtab, .dynsym and .gnu_debugdata, and from .symtab of a separate debug file. The
 * files are hostile; the parser reads them and sends the result as bytes, which are checked again by who
 * takes them.
 */
#ifndef PYPERF_ELF_FUNCTIONS_H
#define PYPERF_ELF_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/buf.h"
#include "elf/image.h"

#define FUNCTIONS_MAX	     (1 << 20) /* parts of a file; libtorch_cpu (2.15) has 612,052 */
#define FUNCTIONS_NAMES_MAX  (8 << 20) /* bytes of names of a file, each with its NUL */
#define FUNCTIONS_NAME_SIZE  512       /* a longer name is cut */
#define FUNCTIONS_BYTES_MAX  (FUNCTIONS_NAMES_MAX + FUNCTIONS_MAX * 8 + 4096)

/*
 * A part of the file's code: it reaches to where the next one begins. All parts together are the code, so
 * where nothing is known of a function there is a part without a name.
 */
struct function {
	__u32 offset; /* in the file */
	__u32 name;   /* where its name begins in names; 0 = none */
};

struct functions {
	const struct function *list; /* by offset, no two have the same; the first begins with the code */
	__u32 count;		     /* at least 1 */
	__u32 end;		     /* offset behind the code */
	const char *names;	     /* begins with "" */
	__u8 build_id[IMAGE_BUILD_ID_MAX];
	__u8 build_id_size; /* 0 = none */
	bool is_even;	    /* an address in the code is an offset and shift */
	__u64 shift;
	bool names_apart; /* names found no room: function_names_read() has them */
	bool has_symbols; /* the file has .symtab, or what came from a debug file */
};

/*
 * Reads a regular file and appends what functions_parse() takes. debug is -1, or the file that has what was
 * stripped from it, which says nothing if its build id is another one. 0; -ENOEXEC or -EBADMSG as
 * image_read(), the latter also for a file without code; -E2BIG when they have too much of it; -ENOMEM or
 * another -errno.
 */
int functions_read(int fd, int debug, struct buf *out);

/* Checks bytes of functions_read(), which *ret then points into. 0 or -EBADMSG. */
int functions_parse(const void *bytes, size_t size, struct functions *ret);

/* The part that holds this offset, NULL if it is outside of the code. */
const struct function *functions_find(const struct functions *f, __u32 offset);

#endif
