/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * native_mapping.h - what the kernel side is to know of one mapping with code of a process: which position
 * its first byte has, and what is known of its functions.
 */
#ifndef PYPERF_SYMBOLS_NATIVE_MAPPING_H
#define PYPERF_SYMBOLS_NATIVE_MAPPING_H

#include "base/complaint.h"
#include "bpf/abi.h"

struct code_map;
struct jit_names;
struct native_files;
struct natives;
struct texts;

/* The owner sets the pointers, which are borrowed. The rest begins as 0. */
struct native_mappings {
	struct natives *natives;
	struct jit_names *jit_names;
	const struct native_files *files;
	struct texts *texts;
	__u32 vdso; /* the block of its text; TEXT_NOT_LOADED: it was not added yet */
	struct complaint no_room;
	bool lacks; /* something has found no room since this was set to false */
};

/*
 * *ret_file: natives_file(); NATIVE_NO_FILE (native_spaces.h) if it has none, or none that can be read. A
 * file without room is never taken for something else: its position says so, and it is logged once.
 */
struct text_mapping native_mapping(struct native_mappings *m, __u32 process, const struct code_map *map,
				   __u32 *ret_file);

/*
 * Adds the page of code that the kernel maps into each process to the kernel side's table as one function,
 * with its rows: it is the same in all of them, so how its callers are found is read from the profiler's own.
 * *ret is what struct text_mapping.text is to be. 0; -ENOSPC; or another -errno if there is none, or nothing
 * is known of its callers.
 */
int native_mapping_add_vdso(struct texts *t, __u32 *ret);

#endif
