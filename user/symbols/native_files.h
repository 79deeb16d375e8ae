/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * native_files.h - how far each file with code has come: from a number to functions that the kernel side's
 * table has. The functions themselves are in the store (names/natives.h).
 */
#ifndef PYPERF_SYMBOLS_NATIVE_FILES_H
#define PYPERF_SYMBOLS_NATIVE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/complaint.h"

#define NATIVE_FILES_RETRIED 16

struct natives;
struct texts;

enum native_state {
	NATIVE_NEW,	 /* nobody has asked for its functions */
	NATIVE_ASKED,
	NATIVE_KNOWN,	 /* the store has them */
	NATIVE_NAMELESS, /* there never will be any: it cannot be read, or there is no memory for them */
};

struct native_target {
	enum native_state state;
	__u32 text;	       /* its block in the kernel side's table; 0 = none */
	unsigned int failures; /* questions about it that had no answer */
	bool no_room;	       /* the store had no room for its functions: that is why it is NAMELESS */
	__u32 serial;	       /* natives_serial(): if it is another one, this is about another file */
};

struct native_files {
	struct natives *natives;
	struct texts *texts;
	struct native_target *list; /* by the file's number; NATIVES_FILES_MAX */
	struct complaint no_room;
};

/* Borrows both. 0 or -ENOMEM. */
int native_files_open(struct native_files *f, struct natives *natives, struct texts *texts);
void native_files_close(struct native_files *f); /* of one that is all 0 it does nothing */

/* How far this file has come. */
struct native_target *native_files_get(struct native_files *f, __u32 file);
/* What text_mapping.text is to be: TEXT_NOT_LOADED, TEXT_NONE, or where its functions are. */
__u32 native_files_text(const struct native_files *f, __u32 file);
/* Puts functions that are known into the kernel side's table, if they are not there. 0; -ENOSPC. */
int native_files_load(struct native_files *f, __u32 file);
/* The kernel side's table is begun anew. */
void native_files_unload(struct native_files *f);
/*
 * Takes the answer about its functions: bytes, or why there are none. Returns 0, and it is KNOWN; or an
 * error, and it is NAMELESS, or NEW, to be asked for again.
 */
int native_files_take(struct native_files *f, __u32 file, int err, const void *bytes, size_t size);

/*
 * There is room again: files that found none are to be asked for. Returns how many of them are in
 * ret[NATIVE_FILES_RETRIED]; the kernel side is to be told that they are TEXT_NOT_LOADED.
 */
__u32 native_files_retry(struct native_files *f, __u32 ret[NATIVE_FILES_RETRIED]);

#endif
