/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * native_spaces.h - which file lies behind each mapping that the kernel side's table has: struct text_mapping
 * says a position, and a change of what is known of a file has to reach every mapping of it.
 */
#ifndef PYPERF_SYMBOLS_NATIVE_SPACES_H
#define PYPERF_SYMBOLS_NATIVE_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define NATIVE_NO_FILE	   (~0U)
#define NATIVE_SPACES_IDLE 2 /* a process that comes while others are counted may be missing once */

struct texts;

/* The mappings of a process: mapping i is in block `block` + 1 + i, and of file files[i] (natives_file()). */
struct native_space {
	__u32 block, count;
	__u32 *files;
	bool lacks;	   /* something of it found no room */
	bool live;	   /* a process has it, by the look that goes on */
	unsigned int idle; /* looks in a row in which nobody had it */
};

/* All 0 at first. */
struct native_spaces {
	struct native_space *list; /* by block */
	size_t count, room;
};

/* Blocks only go up. Takes over files, which was malloc()ed. 0; -ENOMEM, and then files is the caller's. */
int native_spaces_add(struct native_spaces *s, const struct native_space *space);
/* NULL if there is none. Valid until the next change. */
struct native_space *native_spaces_find(const struct native_spaces *s, __u32 block);
/*
 * A look at who has which: native_spaces_begin_look(), `live` of each that somebody has, and then
 * native_spaces_end_look(), which drops what nobody had in NATIVE_SPACES_IDLE looks in a row.
 */
void native_spaces_begin_look(struct native_spaces *s);
void native_spaces_end_look(struct native_spaces *s);
/* Forgets all: the table was begun anew. */
void native_spaces_clear(struct native_spaces *s);
void native_spaces_free(struct native_spaces *s);

/* The kernel side is told that this is the file's text, wherever the file is mapped. */
void native_spaces_publish(const struct native_spaces *s, struct texts *texts, __u32 file, __u32 text);

/* The file behind an address, and *ret_position, that of the address; NATIVE_NO_FILE, and no position. */
__u32 native_space_file(const struct native_space *s, const struct texts *texts, __u64 address,
			__u64 *ret_position);
/* An address at which the file is mapped; 0 = it is not. */
__u64 native_space_address(const struct native_space *s, const struct texts *texts, __u32 file);

#endif
