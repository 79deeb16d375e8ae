/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * native_room.h - gives back what the text space and the names of native code take for files and regions that
 * no process has mapped any more. The kernel side says which process has which mappings: a forked child has
 * its parent's, of which nobody here was told. Nodes of the call tree keep positions in use until both of its
 * banks have been cleared, which a tree that does not fill is asked for when room is short.
 */
#ifndef PYPERF_SYMBOLS_NATIVE_ROOM_H
#define PYPERF_SYMBOLS_NATIVE_ROOM_H

#include <linux/types.h>

struct kernel;
struct native_files;
struct native_spaces;
struct natives;

/* The owner sets the pointers, which are borrowed, and turn to 1. The rest begins as 0. */
struct native_room {
	struct kernel *kernel;
	struct natives *natives; /* NULL: there is no native code */
	struct native_spaces *spaces;
	struct native_files *files;
	__u32 turn;	     /* of the call tree: how many banks were cleared, and 1 */
	unsigned int clears; /* banks that are to be cleared, so that what is unused can go */
	__u64 pause_end;     /* clock_ns(): none is asked for before that */
	__u64 refused;	     /* natives_refused() when one was last asked for */
};

/*
 * A bank of the call tree was cleared. Returns how many files and regions were given back. Processes of which
 * something had found no room have their mappings read again when they are sampled next.
 */
__u32 native_room_cleared(struct native_room *r);
/* To be called each second. */
void native_room_second(struct native_room *r);
/* 1: banks of the call tree are to be cleared, though they are not full; else 0. */
double native_room_fullness(const struct native_room *r);

#endif
