// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_linetable_old.c - the line tables up to 3.10, pair by pair, and tables that no compiler makes. Real
 * ones are compared by tests/oracle, every instruction of the standard library.
 */
#include <errno.h>
#include <limits.h>

#include "tests/forge/test.h"
#include "tests/unit/python/decode_copy.h"

/* The first line is 100. Tables of these versions know no columns. */
static void check(linetable_fn *decode, const __u8 *table, size_t len, __u32 instr, int expected_r,
		  int expected_line)
{
	struct line_position position = decode_copy(decode, table, len, 100, instr, expected_r);

	assert_int_equal(position.line, expected_r ? -77 : expected_line);
	assert_int_equal(position.column, expected_r ? -77 : 0);
}

/* 3.10: pairs (bytes, signed move of the line); -128 = these bytes have no line. */
TEST(test_pairs_of_310)
{
	static const __u8 table[] = {
		4,   0,			     /* units 0-1: line 100 */
		2,   1,			     /* 2: 101 */
		6,   (__u8)-128,	     /* 3-5: none, the running line stays */
		0,   127,	 0, 3, 2, 1, /* 6: 101 + 131 */
		254, (__u8)-32,		     /* 7-133: 200 */
		4,   0,			     /* 134-135: 200 */
		2,   (__u8)-127,	     /* 136: 73 */
		0,   (__u8)-127,	     /* of no byte */
		2,   0,			     /* 137: -54 */
		9,			     /* half a pair */
	};
	static const struct {
		__u32 instr;
		int line;
	} cases[] = { { 0, 100 }, { 1, 100 },	{ 2, 101 },   { 3, 0 },	    { 5, 0 },	 { 6, 232 },
		      { 7, 200 }, { 133, 200 }, { 134, 200 }, { 135, 200 }, { 136, 73 }, { 137, 0 } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(linetable_line_310, table, sizeof(table), cases[i].instr, 0, cases[i].line);
	check(linetable_line_310, table, sizeof(table), 138, -ENOENT, 0);
	check(linetable_line_310, table, sizeof(table), UINT_MAX, -ENOENT, 0);
	check(linetable_line_310, table, 0, 0, -ENOENT, 0);
	check(linetable_line_310, table, 1, 0, -ENOENT, 0);
}

/* Up to 3.9: a pair skips bytes, then moves the line. Moves are signed since 3.6. */
TEST(test_pairs_of_lnotab)
{
	static const __u8 table[] = {
		0,   1,				 /* unit 0: line 101 */
		4,   2,				 /* 2: 103 */
		2,   (__u8)-1,			 /* 3: 102 */
		255, 0,		 1, 127, 0, 127, /* byte 262, unit 131: 356 */
		2,   (__u8)-128,		 /* 132: 228 */
		0,   (__u8)-128,		 /* 132: 100 */
		0,   (__u8)-128,		 /* 132: -28 */
		2,				 /* half a pair */
	};
	static const struct {
		__u32 instr;
		int line;
	} cases[] = { { 0, 101 },   { 1, 101 },	  { 2, 103 }, { 3, 102 },     { 4, 102 },
		      { 130, 102 }, { 131, 356 }, { 132, 0 }, { UINT_MAX, 0 } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(linetable_line_lnotab, table, sizeof(table), cases[i].instr, 0, cases[i].line);
	check(linetable_line_lnotab, table, 0, 7, 0, 100);
	check(linetable_line_lnotab, table, 1, 7, 0, 100);
	check(linetable_line_lnotab, table, 2, 7, 0, 101);
}

/* 2.7: instructions begin at any byte, and lines only go up. */
TEST(test_pairs_of_27)
{
	static const __u8 table[] = {
		0,   1,			   /* byte 0: line 101 */
		3,   2,			   /* 3: 103 */
		1,   200,		   /* 4: 303 */
		255, 0,	  2, 255, 0, 255,  /* 261: 813 */
		2,			   /* half a pair */
	};
	static const struct {
		__u32 instr;
		int line;
	} cases[] = { { 0, 101 },   { 2, 101 },	  { 3, 103 },	{ 4, 303 },
		      { 260, 303 }, { 261, 813 }, { 262, 813 }, { UINT_MAX, 813 } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(linetable_line_27, table, sizeof(table), cases[i].instr, 0, cases[i].line);
	check(linetable_line_27, table, 0, 7, 0, 100);
	check(linetable_line_27, table, 1, 7, 0, 100);
}

/* The longest tables that are read, all of one pair: no sum overflows. */
TEST(test_largest_pairs)
{
	static const __u8 moves[] = { 127, (__u8)-127, (__u8)-128 };
	static __u8 table[LINETABLE_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(moves); i++) {
		for (size_t at = 0; at < sizeof(table); at += 2) {
			table[at] = 2;
			table[at + 1] = moves[i];
		}
		check(linetable_line_310, table, sizeof(table), sizeof(table) / 2 - 1, 0,
		      i ? 0 : 100 + 127 * (int)(sizeof(table) / 2));
		check(linetable_line_lnotab, table, sizeof(table), UINT_MAX, 0,
		      i ? 0 : 100 + 127 * (int)(sizeof(table) / 2));
		check(linetable_line_27, table, sizeof(table), UINT_MAX, 0,
		      100 + moves[i] * (int)(sizeof(table) / 2));
	}
}

/* A line that no int holds is none. */
TEST(test_lines_out_of_range)
{
	static const __u8 up[] = { 0, 1, 2, 0 }, down[] = { 0, (__u8)-127, 2, 0 };

	assert_int_equal(decode_copy(linetable_line_310, up, sizeof(up), INT_MAX - 1, 0, 0).line, INT_MAX);
	assert_int_equal(decode_copy(linetable_line_310, up, sizeof(up), INT_MAX, 0, 0).line, 0);
	assert_int_equal(decode_copy(linetable_line_lnotab, up, sizeof(up), INT_MAX - 1, 0, 0).line, INT_MAX);
	assert_int_equal(decode_copy(linetable_line_lnotab, up, sizeof(up), INT_MAX, 0, 0).line, 0);
	assert_int_equal(decode_copy(linetable_line_27, up, sizeof(up), INT_MAX - 1, 0, 0).line, INT_MAX);
	assert_int_equal(decode_copy(linetable_line_27, up, sizeof(up), INT_MAX, 0, 0).line, 0);
	assert_int_equal(decode_copy(linetable_line_310, down, sizeof(down), INT_MIN, 0, 0).line, 0);
	assert_int_equal(decode_copy(linetable_line_lnotab, down, sizeof(down), INT_MIN, 0, 0).line, 0);
}

/* Whatever the bytes are: a result that is promised, and no line that cannot be. */
TEST(test_noise)
{
	linetable_fn *const decoders[] = { linetable_line_310, linetable_line_lnotab, linetable_line_27 };
	__u8 table[64];
	__u32 seed = 99;

	for (int round = 0; round < 50000; round++) {
		struct line_position p = { .line = -1, .column = -1 };
		int r;

		for (size_t i = 0; i < sizeof(table); i++) {
			seed = seed * 1664525 + 1013904223;
			table[i] = (__u8)(seed >> 24);
		}
		r = decoders[round % 3](table, seed % (sizeof(table) + 1), (int)seed, seed >> 8 & 4095, &p);
		assert_true(r == 0 || (r == -ENOENT && round % 3 == 0));
		assert_true(r ? p.line == -1 && p.column == -1 : p.line >= 0 && !p.column);
	}
}
