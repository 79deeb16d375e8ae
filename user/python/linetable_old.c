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
	const bool outside = line < 0 || line > INT_MAX;

	return (struct line_position){ .line = outside ? 0 : (int)line, .outside = outside };
}

int linetable_walk_310(const __u8 *table, size_t len, struct line_cursor *c, const struct line_goal *goal,
		       struct line_position *ret)
{
	const __u64 offset = 2ULL * goal->instr;

	for (; c->at + 1ULL < len; c->at += 2) {
		int move = (__s8)table[c->at + 1];

		if (c->at >= goal->pause)
			return -EAGAIN;
		if (move != NO_LINE)
			c->line += move;
		if (offset < c->begin + table[c->at]) {
			*ret = move == NO_LINE ? (struct line_position){ 0 } : position_of(c->line);
			return 0;
		}
		c->begin += table[c->at];
	}
	return -ENOENT;
}

/* A pair's line begins behind the bytes that the pair skips. */
static int walk_lnotab(const __u8 *table, size_t len, struct line_cursor *c, const struct line_goal *goal,
		       bool old, struct line_position *ret)
{
	const __u64 offset = old ? goal->instr : 2ULL * goal->instr;

	for (; c->at + 1ULL < len; c->at += 2) {
		if (c->at >= goal->pause)
			return -EAGAIN;
		if (c->begin + table[c->at] > offset)
			break;
		c->begin += table[c->at];
		c->line += old ? table[c->at + 1] : (__s8)table[c->at + 1];
	}
	*ret = position_of(c->line);
	return 0;
}

int linetable_walk_lnotab(const __u8 *table, size_t len, struct line_cursor *c, const struct line_goal *goal,
			  struct line_position *ret)
{
	return walk_lnotab(table, len, c, goal, false, ret);
}

int linetable_walk_27(const __u8 *table, size_t len, struct line_cursor *c, const struct line_goal *goal,
		      struct line_position *ret)
{
	return walk_lnotab(table, len, c, goal, true, ret);
}
