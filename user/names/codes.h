/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * codes.h - the code store: for every code number of the call tree its function, file, lines and columns.
 * Strings, line tables and whole code objects are kept once for all numbers that share them (forked workers
 * do), and lines are decoded only when asked for. Records come from our own kernel side or worker but are
 * checked.
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
	int first_line; /* 0 = unknown */
	int line;	/* 0 = unknown */
	int column;	/* in the line, in bytes of UTF-8, from 1; 0 = unknown */
	enum frame_kind kind; /* FRAME_PYTHON; FRAME_MARKER: nothing is known of that number */
};

struct codes_stats {
	__u64 codes;	 /* held: code numbers */
	__u64 bodies;	 /* held: distinct code objects behind them */
	__u64 bytes;	 /* held: memory of all of it, the hash tables' own buckets excluded */
	__u64 decodes;	 /* line tables searched */
	__u64 hits;	 /* lines answered from memory instead */
	__u64 fallbacks; /* decodes without a line of their own: the first line was given */
	__u64 unknown;	 /* look-ups of a number that is not held */
};

/* Parts of a record that are worth another attempt; see codes_incomplete(). */
enum codes_part { CODES_NAME = 1, CODES_FILE = 2, CODES_TABLE = 4 };

/* bytes_max: of codes_stats.bytes, 0 = no limit. Returns 0 or -ENOMEM. */
int codes_new(struct codes **ret, size_t bytes_max);
void codes_free(struct codes *codes);

/*
 * Adds a RECORD_CODE record of record_size bytes. A second record for the same number replaces the first,
 * part by part: what the second could not read stays. Returns 0; -EBADMSG for sizes or a number that
 * contradict the record; -ENOSPC above bytes_max; -ENOMEM. On failure the store is as it was.
 */
int codes_add(struct codes *codes, const struct record_code *record, size_t record_size);

/*
 * Sets the line table of a code whose record had it cut. Returns 0; -ENOENT for an unknown number; -ESTALE
 * when len is not the length the record saw (another object lives at that address now); -ENOSPC, -ENOMEM.
 */
int codes_set_table(struct codes *codes, __u32 code, const void *bytes, size_t len);

/* Forgets the codes of numbers first to end - 1. */
void codes_clear(struct codes *codes, __u32 first, __u32 end);

/*
 * instr_plus_one is node_instr(): 0 = before the first instruction, which is the first line; INSTR_UNKNOWN
 * = line 0. Where the table has no line for the instruction, or is not there, the first line stands in,
 * without a column.
 * Returns 0, always: a number that is not held is the function "[unknown code]".
 */
int codes_resolve(struct codes *codes, __u32 code, __u32 instr_plus_one, struct code_line *ret);

/*
 * Which parts (enum codes_part) another attempt could read: those that faulted, for capture_remote(), and a
 * table that was only too large for the kernel's record, for capture_remote_table(). 0 = none.
 */
unsigned int codes_incomplete(const struct record_code *record);

const struct codes_stats *codes_get_stats(const struct codes *codes);

#endif
