/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * native_lines.h - the lines of source of positions in the text space (bpf/abi/native.h), and the functions
 * that the compiler has put into others there. Each position is asked for once; what is known stays as long
 * as the file has its interval.
 */
#ifndef PYPERF_NAMES_NATIVE_LINES_H
#define PYPERF_NAMES_NATIVE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "elf/source.h"

#define NATIVE_LINES_MAX       (1 << 18)  /* positions */
#define NATIVE_LINES_BYTES_MAX (32 << 20) /* of frames and strings */

/* A function at a position, as struct source_frame. Strings are the store's; "" = not known. */
struct native_line {
	const char *name, *file;
	__u32 line; /* 0 = not known */
};

struct native_lines;

int native_lines_new(struct native_lines **ret); /* 0 or -ENOMEM */
void native_lines_free(struct native_lines *l);	 /* NULL is fine */

/*
 * Whether somebody is to ask for this position: it is new, and it is then taken for asked. False also when
 * there is no room for it.
 */
bool native_lines_want(struct native_lines *l, __u64 position);
/* This position was asked for in vain, and is to be asked for again. */
void native_lines_unwant(struct native_lines *l, __u64 position);
/* These positions mean others from now on. */
void native_lines_forget(struct native_lines *l, __u64 begin, __u64 size);
/* Whether positions or what is known of them found no room. */
bool native_lines_full(const struct native_lines *l);

/*
 * Takes the bytes of source_read() about a file whose first byte has this position. Of positions that nobody
 * wanted nothing is kept. 0; -EBADMSG; -ENOSPC beyond the bounds, or -ENOMEM:
 * what found room is kept.
 */
int native_lines_add(struct native_lines *l, __u64 base, const void *bytes, size_t size);

/* How many functions are known at a position, innermost first. *ret is valid until they are forgotten. */
__u32 native_lines_find(const struct native_lines *l, __u64 position, const struct native_line **ret);

#endif
