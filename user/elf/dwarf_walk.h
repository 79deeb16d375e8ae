/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dwarf_walk.h - finds some addresses in a file's DWARF: the line of each, and the functions around it. What
 * libdw reads was made by anybody: how much is looked at is bounded here, how long it takes by who asked.
 */
#ifndef PYPERF_ELF_DWARF_WALK_H
#define PYPERF_ELF_DWARF_WALK_H

#include <stdbool.h>
#include <elfutils/libdw.h>
#include <linux/types.h>

#include "elf/source.h"

/* A function around an address. Strings are libdw's, as long as its handle is open; NULL = not known. */
struct dwarf_scope {
	const char *name;
	const char *call_file; /* where it was inlined, in the function around it */
	__u32 call_line;
};

struct dwarf_place {
	__u64 address;
	__u32 index; /* the caller's */
	__u32 level; /* entries around it that were passed */
	__u32 depth; /* scopes; more than SOURCE_FRAMES_MAX were counted but not kept, ... */
	struct dwarf_scope scopes[SOURCE_FRAMES_MAX]; /* outermost first */
	struct dwarf_scope beyond;		      /* ... but for the first of them */
	const char *file;			      /* of the line; NULL: there is none */
	const char *directory; /* in which its unit was compiled, which paths may begin with; or NULL */
	__u32 line;
	bool found; /* in a unit */
};

/* Finds these places, which are in order of address. 0, or -E2BIG beyond SOURCE_DIES_MAX. */
int dwarf_walk(Dwarf *dwarf, struct dwarf_place *places, size_t count);

#endif
