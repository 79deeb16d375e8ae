// SPDX-License-Identifier: GPL-2.0-only
/*
 * linetable.c - see linetable.h. The tables come from a process that may have forged them: every read is
 * bounded, and lines are summed in 64 bits (an entry adds less than 2^32, a table has less than 2^31
 * entries).
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "python/linetable.h"

/*
 * Of enum _PyCodeLocationInfoKind in Include/cpython/code.h, 3.11-3.15. 0-9 are short forms on the same line.
 */
enum location_code {
	LOCATION_ONE_LINE0 = 10, /* 10, 11, 12: the line goes up by 0, 1, 2 */
	LOCATION_ONE_LINE2 = 12,
	LOCATION_NO_COLUMNS = 13,
	LOCATION_LONG = 14,
	LOCATION_NONE = 15,
};

/* Six bits a byte, lowest first, bit 6 says that more follow. Values are 32 bits wide: 6 bytes at most. */
static int read_varint(const __u8 **at, const __u8 *end, __u32 *ret)
{
	__u64 value = 0;
	__u8 byte;

	for (unsigned int shift = 0; shift <= 30; shift += 6) {
		if (*at == end || **at & 128) /* the start of the next entry */
			return -EBADMSG;
		byte = *(*at)++;
		value |= (__u64)(byte & 63) << shift;
		if (byte & 64)
			continue;
		if (value > UINT_MAX)
			return -EBADMSG;
		*ret = (__u32)value;
		return 0;
	}
	return -EBADMSG;
}

static int read_line_delta(const __u8 **at, const __u8 *end, unsigned int code, long long *ret)
{
	__u32 u;
	int err;

	switch (code) {
	case LOCATION_ONE_LINE0 ... LOCATION_ONE_LINE2:
		*ret = code - LOCATION_ONE_LINE0;
		return 0;
	case LOCATION_NO_COLUMNS:
	case LOCATION_LONG:
		err = read_varint(at, end, &u);
		if (err)
			return err;
		*ret = u & 1 ? -(long long)(u >> 1) : (long long)(u >> 1);
		return 0;
	default:
		*ret = 0;
		return 0;
	}
}

/*
 * What follows the line, by the kind of entry: for 0 to 9 a byte with the low bits of the columns; for 10 to
 * 12 the column and its end; for a long entry the last line, the column + 1 and its end + 1. A column that is
 * impossible is taken as none. The line is good all the same.
 */
static int read_column(const __u8 *at, const __u8 *end, unsigned int code)
{
	__u32 last_line, column;

	if (code == LOCATION_NO_COLUMNS || code == LOCATION_NONE)
		return 0;
	if (code == LOCATION_LONG) {
		if (read_varint(&at, end, &last_line) || read_varint(&at, end, &column) || column > INT_MAX)
			return 0;
		return (int)column;
	}
	if (at == end || *at & 128)
		return 0;
	return 1 + (int)(code < LOCATION_ONE_LINE0 ? code << 3 | *at >> 4 : *at);
}

static bool is_outside(const struct line_cursor *c)
{
	return c->line < 0 || c->line > INT_MAX;
}

int linetable_walk(const __u8 *table, size_t len, struct line_cursor *c, const struct line_goal *goal,
		   struct line_position *ret)
{
	const __u8 *at = table + c->at, *end = table + len;
	unsigned int code, units;
	long long delta;
	int err;

	for (; at < end; c->at = at - table) {
		if (c->at >= goal->pause)
			return -EAGAIN;
		if (!(*at & 128))
			return -EBADMSG;
		code = *at >> 3 & 15;
		units = (*at & 7) + 1;
		at++;
		err = read_line_delta(&at, end, code, &delta);
		if (err)
			return err;
		c->line += delta;
		if (goal->instr < c->begin + units) {
			*ret = (struct line_position){ .outside = code != LOCATION_NONE && is_outside(c) };
			if (code == LOCATION_NONE || c->line == 0 || ret->outside)
				return 0;
			ret->line = (int)c->line;
			ret->column = read_column(at, end, code);
			return 0;
		}
		c->begin += units;
		/*
		 * Columns of other entries are skipped: as in Objects/codeobject.c, only the start of an
		 * entry has bit 7.
		 */
		while (at < end && !(*at & 128))
			at++;
	}
	return -ENOENT;
}

static int from_start(linetable_walk_fn *walk, const __u8 *table, size_t len, int first_line, __u32 instr,
		      struct line_position *ret)
{
	struct line_cursor c = { .line = first_line };
	const struct line_goal goal = { .instr = instr, .pause = SIZE_MAX };

	return walk(table, len, &c, &goal, ret);
}

/* The decoder that begins at the start, for each of the formats. */
#define FROM_START(format)                                                                                   \
	int linetable_line##format(const __u8 *table, size_t len, int first_line, __u32 instr,               \
				   struct line_position *ret)                                                \
	{                                                                                                    \
		return from_start(linetable_walk##format, table, len, first_line, instr, ret);               \
	}

FROM_START()
FROM_START(_310)
FROM_START(_lnotab)
FROM_START(_27)

static const struct {
	linetable_fn *line;
	linetable_walk_fn *walk;
} formats[] = {
	[LINES_LOCATIONS] = { linetable_line, linetable_walk },
	[LINES_310] = { linetable_line_310, linetable_walk_310 },
	[LINES_LNOTAB] = { linetable_line_lnotab, linetable_walk_lnotab },
	[LINES_27] = { linetable_line_27, linetable_walk_27 },
};

linetable_fn *linetable_for_format(__u32 format)
{
	return format < ARRAY_SIZE(formats) ? formats[format].line : NULL;
}

linetable_walk_fn *linetable_walk_for_format(__u32 format)
{
	return format < ARRAY_SIZE(formats) ? formats[format].walk : NULL;
}
