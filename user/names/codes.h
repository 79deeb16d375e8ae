/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * codes.h - the code store. It has the function, file, lines and columns of every code number of the call
 * tree. Strings, line tables and whole code objects are kept once for all numbers that share them, as those
 * of forked workers do. Lines are decoded only when they are asked for. Records come from our own kernel side
 * or worker, and are checked all the same.
 */
#ifndef PYPERF_NAMES_CODES_H
#define PYPERF_NAMES_CODES_H

#include <stddef.h>
#include <linux/types.h>

#include "bpf/abi.h"

struct codes;

/*
 * Strings are valid UTF-8, never NULL, and live until the next codes_add(), codes_set_table() or
 * codes_clear(). Equal contents have equal pointers.
 */
struct code_line {
	const char *function;
	const char *file;
	int first_line;	      /* 0 = unknown */
	int line;	      /* 0 = unknown */
	int column;	      /* in the line, in bytes of UTF-8, from 1; 0 = unknown */
	enum frame_kind kind; /* FRAME_PYTHON; FRAME_MARKER: nothing is known of that number */
};

struct codes_stats {
	__u64 codes;	 /* code numbers that are held */
	__u64 bodies;	 /* distinct code objects behind them */
	__u64 bytes;	 /* memory of all that is held, without the hash tables' own buckets */
	__u64 decodes;	 /* how often a line table was searched, ... */
	__u64 hits;	 /* ... and how often the line was known from before */
	__u64 fallbacks; /* decodes that found no line, so that the first line was given */
	__u64 missing;	 /* look-ups of a line whose table is not there, or without room to read it: line 0 */
	__u64 unknown;	 /* look-ups of a number that is not held */
};

/* Parts of a record that are worth another attempt; see codes_incomplete(). */
enum codes_part { CODES_NAME = 1, CODES_FILE = 2, CODES_TABLE = 4 };

/* bytes_max is the limit of codes_stats.bytes; 0 = no limit. Returns 0 or -ENOMEM. */
int codes_new(struct codes **ret, size_t bytes_max);
void codes_free(struct codes *codes);

/*
 * Adds a RECORD_CODE record of record_size bytes. A second record for the same number replaces the first one
 * part by part; of a part that the second could not read, the first's stays. Returns 0; -EBADMSG if sizes or
 * the number are impossible; -ENOSPC above bytes_max; -ENOMEM. After a failure the store is as it was.
 */
int codes_add(struct codes *codes, const struct record_code *record, size_t record_size);

/*
 * Sets the line table of a code object whose record has only the beginning of it. Returns 0; -ENOENT for an
 * unknown number; -ESTALE when len is not the length that the record has, because another object is at that
 * address now; -ENOSPC; -ENOMEM.
 */
int codes_set_table(struct codes *codes, __u32 code, const void *bytes, size_t len);

/* Forgets the codes of numbers first to end - 1. */
void codes_clear(struct codes *codes, __u32 first, __u32 end);

/*
 * Says what an instruction of a code object is called. instr_plus_one is node_instr(). 0 means before the
 * first instruction, which is on the first line; INSTR_UNKNOWN gives line 0, and so does a line table that
 * is not there: codes_stats.missing counts it. Where the table has no line for the instruction, the first
 * line is given, without a column. Always returns 0: a number that is not held is the function "[unknown
 * code]".
 */
int codes_resolve(struct codes *codes, __u32 code, __u32 instr_plus_one, struct code_line *ret);

/*
 * Which parts (bits of enum codes_part) another attempt could read; 0 = none. capture_remote() may read parts
 * that were not in memory, capture_remote_table() a table that was only too large for the kernel side's
 * record.
 */
unsigned int codes_incomplete(const struct record_code *record);

const struct codes_stats *codes_get_stats(const struct codes *codes);

#endif
