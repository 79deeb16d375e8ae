/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * row_index.h - rows found by their texts, and texts as a row has them.
 */
#ifndef PYPERF_TOP_ROW_INDEX_H
#define PYPERF_TOP_ROW_INDEX_H

#include <stddef.h>

#include "base/cleanup.h"
#include "top/rows.h"

struct row_index;

/* The row with these texts, or NULL. */
struct top_row *row_index_find(const struct row_index *all, const struct top_row *row);
/* NULL is an empty one. The row has to stay where it is. 0 or -ENOMEM. */
int row_index_add(struct row_index **all, struct top_row *row);
/* Adds the row that stands behind the others of `to`, unless one has its texts. NULL: out of memory. */
struct top_row *row_index_merge(struct row_index **all, struct top_rows *to);
void row_index_free(struct row_index **all);

#define _cleanup_row_index_ _cleanup_(row_index_free)

/*
 * Sets a text of a row, cut to its size, with ":line" behind it unless that is 0. The rest of the field is 0,
 * so that equal texts are equal keys.
 */
void row_index_set_text(char *field, size_t size, const char *text, __u32 line);
/* Below 0, 0 or above, by the texts. */
int row_index_compare(const struct top_row *a, const struct top_row *b);

#endif
