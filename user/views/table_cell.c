// SPDX-License-Identifier: GPL-2.0-only
#include "views/table_cell.h"

#include <string.h>

#define DOTS 3

size_t table_cell_columns(const char *s, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < size; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

/*
 * Where the text's last `keep` columns begin; at the next '/' when there is one, so that no name is halved.
 */
static size_t tail(const char *s, size_t size, size_t keep)
{
	size_t at = size;
	const char *slash;

	while (at && keep)
		keep -= ((unsigned char)s[--at] & 0xc0) != 0x80;
	slash = memchr(s + at, '/', size - at);
	return slash ? (size_t)(slash - s) : at;
}

size_t table_cell_head(const char *s, size_t size, size_t keep)
{
	size_t at = 0;

	for (; at < size; at++)
		if (((unsigned char)s[at] & 0xc0) != 0x80 && !keep--)
			break;
	return at;
}

struct table_cell table_cell_cut(const struct buf *b, size_t width, bool is_path)
{
	const char *s = b->data ?: "";
	size_t from = 0, to = b->size;

	if (table_cell_columns(s, b->size) > width && is_path)
		from = tail(s, b->size, width - DOTS);
	else if (table_cell_columns(s, b->size) > width)
		to = table_cell_head(s, b->size, width - DOTS);
	return (struct table_cell){
		.before = from ? "..." : "",
		.behind = to < b->size ? "..." : "",
		.text = s + from,
		.size = to - from,
		.columns = table_cell_columns(s + from, to - from) + (from ? DOTS : 0) +
			   (to < b->size ? DOTS : 0),
	};
}

void table_cell_drop_locals(struct buf *b)
{
	static const char locals[] = ".<locals>.";
	const size_t size = sizeof(locals) - 1;
	char *at = b->data, *end;

	if (!b->size)
		return;
	end = at + b->size;
	while ((at = memmem(at, end - at, locals, size))) {
		memmove(at + 1, at + size, end - at - size);
		end -= size - 1;
	}
	b->size = end - b->data;
}
