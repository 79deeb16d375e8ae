// SPDX-License-Identifier: GPL-2.0-only
#include "python/line_index.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

struct line_index {
	linetable_walk_fn *walk;
	size_t count;
	struct line_cursor cursors[]; /* by the bytes of the table, and so by the bytecode too */
};

bool line_index_wanted(size_t len)
{
	return len >= 4 * LINE_INDEX_STEP;
}

/* At the start, at most once in each step, and where the table ends or is damaged. */
static size_t most_cursors(size_t len)
{
	return 2 + len / LINE_INDEX_STEP;
}

size_t line_index_size(size_t len)
{
	return sizeof(struct line_index) + most_cursors(len) * sizeof(struct line_cursor);
}

int line_index_new(__u32 format, const __u8 *table, size_t len, int first_line, struct line_index **ret)
{
	/* Behind the end of any bytecode, in each format's unit. */
	struct line_goal goal = { .instr = UINT64_MAX / 4, .pause = LINE_INDEX_STEP };
	linetable_walk_fn *walk = linetable_walk_for_format(format);
	struct line_cursor c = { .line = first_line };
	struct line_position nowhere;
	struct line_index *index;

	if (!walk)
		return -EINVAL;
	index = malloc(line_index_size(len));
	if (!index)
		return -ENOMEM;
	*index = (struct line_index){ .walk = walk, .count = 1 };
	index->cursors[0] = c;
	while (walk(table, len, &c, &goal, &nowhere) == -EAGAIN) {
		index->cursors[index->count++] = c;
		goal.pause = (c.at / LINE_INDEX_STEP + 1) * LINE_INDEX_STEP;
	}
	index->cursors[index->count++] = c;
	*ret = index;
	return 0;
}

/* The last one that does not begin behind that. The first begins at 0. */
static const struct line_cursor *find(const struct line_index *index, __u64 begin)
{
	size_t low = 0, high = index->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (index->cursors[middle].begin <= begin)
			low = middle;
		else
			high = middle;
	}
	return &index->cursors[low];
}

int line_index_line(const struct line_index *index, const __u8 *table, size_t len, __u32 instr,
		    struct line_position *ret)
{
	const struct line_goal goal = { .instr = instr, .pause = SIZE_MAX };
	struct line_cursor c = *find(index, (__u64)instr * linetable_unit(index->walk));

	return index->walk(table, len, &c, &goal, ret);
}
