/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table_cell.h - texts cut to the width of a column, for tables on a terminal. Every code point counts as one
 * column.
 */
#ifndef PYPERF_VIEWS_TABLE_CELL_H
#define PYPERF_VIEWS_TABLE_CELL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* A part of a text, with "..." on one side of it, or "". */
struct table_cell {
	const char *before, *behind;
	const char *text; /* not NUL-terminated, and never NULL */
	size_t size;
	size_t columns; /* of all of it, dots included */
};

size_t table_cell_columns(const char *s, size_t size);
/* How many bytes of the text its first `keep` columns are. */
size_t table_cell_head(const char *s, size_t size, size_t keep);

/*
 * As much of the text as fits into `width` columns, at least 4: paths lose their beginning, at a '/' where
 * there is one, names their end. It points into b.
 */
struct table_cell table_cell_cut(const struct buf *b, size_t width, bool is_path);

/* Makes "f.g" of "f.<locals>.g": tables are narrow, and all of it is in the profile. */
void table_cell_drop_locals(struct buf *b);

#endif
