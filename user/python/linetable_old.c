// SPDX-License-Identifier: GPL-2.0-only
/*
 * linetable_old.c - the formats up to 3.10: pairs of bytes, how far the bytecode goes on and by how much
 * the line moves. The tables may be forged: lines are summed in 64 bits, and an odd last byte is no pair.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>

#include "python/linetable.h"

#define NO_LINE (-128) /* 3.10: in the place of a line move, this byte says that there is no line */

static struct line_position position_of(long long line)
{
	return (struct line_position){ .line = line < 0 || line > INT_MAX ? 0 : (int)line };
}

int linetable_line_310(const __u8 *table, size_t len, int first_line, __u32 instr, struct line_position *ret)
{
	const __u64 offset = 2ULL * instr;
	long long line = first_line;
	__u64 covered = 0;

	for (size_t at = 0; at + 1 < len; at += 2) {
		int move = (__s8)table[at + 1];

		covered += table[at];
		if (move != NO_LINE)
			line += move;
		if (offset < covered) {
			*ret = position_of(move == NO_LINE ? 0 : line);
			return 0;
		}
	}
	return -ENOENT;
}

/* A pair's line begins behind the bytes that the pair skips. */
static struct line_position lnotab_position(const __u8 *table, size_t len, int first_line, __u64 offset,
					    bool back)
{
	long long line = first_line;
	__u64 begin = 0;

	for (size_t at = 0; at + 1 < len; at += 2) {
		begin += table[at];
		if (begin > offset)
			break;
		line += back ? (__s8)table[at + 1] : table[at + 1];
	}
	return position_of(line);
}

int linetable_line_lnotab(const __u8 *table, size_t len, int first_line, __u32 instr,
			  struct line_position *ret)
{
	*ret = lnotab_position(table, len, first_line, 2ULL * instr, true);
	return 0;
}

int linetable_line_27(const __u8 *table, size_t len, int first_line, __u32 instr, struct line_position *ret)
{
	*ret = lnotab_position(table, len, first_line, instr, false);
	return 0;
}
