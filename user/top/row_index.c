// SPDX-License-Identifier: GPL-2.0-only
#include "top/row_index.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "views/table_cell.h"

struct row_index {
	struct top_row *row;
	UT_hash_handle hh;
};

#define KEY_SIZE (TOP_NAME_SIZE + TOP_WHERE_SIZE)

_Static_assert(offsetof(struct top_row, where) == TOP_NAME_SIZE, "the two texts are one key");

void row_index_free(struct row_index **all)
{
	struct row_index *f, *next;

	HASH_ITER(hh, *all, f, next) {
		HASH_DEL(*all, f);
		free(f);
	}
}

struct top_row *row_index_find(const struct row_index *all, const struct top_row *row)
{
	const struct row_index *f;

	HASH_FIND(hh, all, row, KEY_SIZE, f);
	return f ? f->row : NULL;
}

int row_index_add(struct row_index **all, struct top_row *row)
{
	struct row_index *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->row = row;
	HASH_ADD_KEYPTR(hh, *all, row, KEY_SIZE, f);
	if (f->hh.tbl)
		return 0;
	free(f);
	return -ENOMEM;
}

struct top_row *row_index_merge(struct row_index **all, struct top_rows *to)
{
	struct top_row *row = &to->rows[to->count], *same = row_index_find(*all, row);

	if (same)
		return same;
	if (row_index_add(all, row))
		return NULL;
	to->count++;
	return row;
}

void row_index_set_text(char *field, size_t size, const char *text, __u32 line)
{
	_cleanup_buf_ struct buf b = { 0 };
	char number[16] = "";
	size_t keep;

	memset(field, 0, size);
	buf_add_shown(&b, text, false);
	table_cell_drop_locals(&b);
	if (line)
		snprintf(number, sizeof(number), ":%u", line);
	keep = size - 1 - strlen(number);
	if (b.size > keep) { /* at the beginning of a character */
		b.size = keep;
		while (b.size && ((unsigned char)b.data[b.size] & 0xc0) == 0x80)
			b.size--;
	}
	if (b.size)
		memcpy(field, b.data, b.size);
	memcpy(field + b.size, number, strlen(number));
}

int row_index_compare(const struct top_row *a, const struct top_row *b)
{
	return memcmp(a, b, KEY_SIZE);
}
