/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * line_index.h - a large line table made quick to ask. A table can only be decoded from its start, and one of
 * 1 MiB takes milliseconds, for each instruction that is asked for. The index is made in one pass. It keeps
 * where the decoder stood every LINE_INDEX_STEP bytes, so that an answer takes that many bytes at most.
 */
#ifndef PYPERF_PYTHON_LINE_INDEX_H
#define PYPERF_PYTHON_LINE_INDEX_H

#include <stdbool.h>

#include "python/linetable.h"

#define LINE_INDEX_STEP 128

struct line_index;

/* Whether a table of so many bytes is so large that an index is worth its memory. */
bool line_index_wanted(size_t len);
/* Memory that the index of a table of so many bytes takes at most. */
size_t line_index_size(size_t len);
/*
 * Reads the table once. It may be forged: damage ends the index, and is found again by line_index_line(). 0;
 * -EINVAL for a format that is none; -ENOMEM. The caller frees it by free().
 */
int line_index_new(__u32 format, const __u8 *table, size_t len, int first_line, struct line_index **ret);
/* Returns what the format's linetable_fn returns for the same table, first line and instruction. */
int line_index_line(const struct line_index *index, const __u8 *table, size_t len, __u32 instr,
		    struct line_position *ret);

#endif
