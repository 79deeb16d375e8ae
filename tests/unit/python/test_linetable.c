// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_linetable.c - location tables by hand, entry by entry, and tables that no compiler makes. Real ones
 * are compared by tests/oracle, every instruction of the standard library.
 */
#include <errno.h>
#include <limits.h>

#include "tests/forge/test.h"
#include "tests/unit/python/decode_copy.h"

/* First byte of an entry: a code and a length in code units, 1-8. */
#define ENTRY(code, units) (0x80 | (code) << 3 | ((units) - 1))
#define AT(l, c) { .line = (l), .column = (c) }

static void is(const __u8 *table, size_t len, int first, __u32 instr, int expected_r, int expected_line)
{
	struct line_position position = decode_copy(linetable_line, table, len, first, instr, expected_r);

	assert_int_equal(position.line, expected_r ? -77 : expected_line);
}

/* first: 10. */
static void stands_at(const __u8 *table, size_t len, __u32 instr, int line, int column)
{
	struct line_position position = decode_copy(linetable_line, table, len, 10, instr, 0);

	assert_int_equal(position.line, line);
	assert_int_equal(position.column, column);
}

TEST(test_each_code)
{
	static const __u8 table[] = {
		ENTRY(0, 1),  0x12,			  /* unit 0: line 10, short form */
		ENTRY(9, 2),  0x7f,			  /* 1-2: line 10, short form */
		ENTRY(10, 1), 4,	9,		  /* 3: line 10 */
		ENTRY(11, 1), 4,	9,		  /* 4: line 11 */
		ENTRY(12, 1), 4,	9,		  /* 5: line 13 */
		ENTRY(15, 3),				  /* 6-8: none; the running line stays 13 */
		ENTRY(13, 1), 0x07,			  /* 9: -3: line 10 */
		ENTRY(14, 8), 0x48,	0x03, 0x02, 5, 7, /* 10-17: 0x48,0x03 = 200, +100: line 110 */
		ENTRY(13, 1), 0x40 | 1, 0x40, 0x40, 1,	  /* 18: 1 | 1 << 18, -131072: below 1 */
		ENTRY(13, 1), 0x40,	0x40, 0x40, 1,	  /* 19: +131072: line 110 again */
	};
	static const int lines[] = { 10,  10,  10,  10,	 11,  13,  0,	0,   0, 10,
				     110, 110, 110, 110, 110, 110, 110, 110, 0, 110 };

	for (__u32 i = 0; i < ARRAY_SIZE(lines); i++)
		is(table, sizeof(table), 10, i, 0, lines[i]);
	is(table, sizeof(table), 10, ARRAY_SIZE(lines), -ENOENT, 0);
	is(table, sizeof(table), 10, UINT_MAX, -ENOENT, 0);
	is(table, 0, 10, 0, -ENOENT, 0);
}

TEST(test_columns_may_be_missing_or_many)
{
	static const __u8 missing[] = { ENTRY(12, 1), ENTRY(0, 1), ENTRY(11, 1) };
	static const __u8 many[] = { ENTRY(12, 1), 1, 2, 3, 4, 5, 6, 7, 0x40, 0x40, ENTRY(11, 1) };

	is(missing, sizeof(missing), 1, 0, 0, 3);
	is(missing, sizeof(missing), 1, 1, 0, 3);
	is(missing, sizeof(missing), 1, 2, 0, 4);
	is(many, sizeof(many), 1, 1, 0, 4);
}

/* From 1 where the table counts from 0; the long form has room for "none" and says 0. */
TEST(test_column_of_each_code)
{
	static const __u8 table[] = {
		ENTRY(0, 1),  0x00,				  /* 0: the first column, nothing long */
		ENTRY(0, 1),  0x12,				  /* 1: 1, from 0 */
		ENTRY(9, 2),  0x7f,				  /* 2-3: 72 + 7, from 0 */
		ENTRY(10, 1), 4,	9,			  /* 4 */
		ENTRY(12, 1), 127,	127,			  /* 5 */
		ENTRY(15, 1),					  /* 6: no line */
		ENTRY(13, 1), 0x02,				  /* 7: a line alone */
		ENTRY(14, 1), 0x02,	0x02, 5, 7,		  /* 8 */
		ENTRY(14, 1), 0x02,	0x02, 0, 0,		  /* 9: none */
		/* 10: 200, behind a last line of two bytes */
		ENTRY(14, 1), 0x02,	0x41, 1, 0x48, 0x03, 0x40
	};
	static const struct line_position places[] = { AT(10, 1),  AT(10, 2),  AT(10, 80), AT(10, 80),
						       AT(10, 5),  AT(12, 128), AT(0, 0),   AT(13, 0),
						       AT(14, 5),  AT(15, 0),  AT(16, 200) };

	for (__u32 i = 0; i < ARRAY_SIZE(places); i++)
		stands_at(table, sizeof(table), i, places[i].line, places[i].column);
}

/* The line is good, and so are the entries behind it. */
TEST(test_damaged_columns_are_none)
{
	static const __u8 next[] = { ENTRY(11, 1), 6, 9 };
	static const struct {
		__u8 size, bytes[16];
	} damaged[] = {
		{ 1, { ENTRY(0, 1) } },
		{ 1, { ENTRY(10, 1) } },
		{ 2, { ENTRY(14, 1), 0 } },
		{ 3, { ENTRY(14, 1), 0, 1 } },
		/* the last line goes on */
		{ 3, { ENTRY(14, 1), 0, 0x41 } },
		/* the column does */
		{ 4, { ENTRY(14, 1), 0, 1, 0x41 } },
		{ 10, { ENTRY(14, 1), 0, 1, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 1 } },	   /* for ever */
		{ 9, { ENTRY(14, 1), 0, 1, 0x40, 0x40, 0x40, 0x40, 0x40, 4 } },		   /* 1 << 32 */
		{ 9, { ENTRY(14, 1), 0, 1, 0x40, 0x40, 0x40, 0x40, 0x40, 2 } },		   /* INT_MAX + 1 */
	};
	static const __u8 largest[] = { ENTRY(14, 1), 0, 1, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 1 };
	__u8 table[sizeof(damaged[0].bytes) + sizeof(next)];

	for (size_t i = 0; i < ARRAY_SIZE(damaged); i++) {
		memcpy(table, damaged[i].bytes, damaged[i].size);
		stands_at(table, damaged[i].size, 0, 10, 0);
		memcpy(table + damaged[i].size, next, sizeof(next));
		stands_at(table, damaged[i].size + sizeof(next), 0, 10, 0);
		stands_at(table, damaged[i].size + sizeof(next), 1, 11, 7);
	}
	stands_at(largest, sizeof(largest), 0, 10, INT_MAX);
}

/* A line that cannot be has no column either. */
TEST(test_no_column_without_a_line)
{
	static const __u8 below[] = { ENTRY(14, 1), 23, 0, 5, 7 };

	stands_at(below, sizeof(below), 0, 0, 0);
}

TEST(test_malformed)
{
	static const __u8 no_start[] = { 0x12, ENTRY(0, 1), 0x12 };
	static const __u8 unterminated[] = { ENTRY(13, 1), 0x41, 0x41 };
	static const __u8 nothing[] = { ENTRY(14, 1) };
	static const __u8 runs_into_entry[] = { ENTRY(13, 1), 0x40, ENTRY(0, 1), 0 };
	static const __u8 seven_chunks[] = { ENTRY(13, 1), 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 1 };
	static const __u8 above_32_bits[] = { ENTRY(13, 1), 0x40, 0x40, 0x40, 0x40, 0x40, 4 };
	static const __u8 later[] = { ENTRY(11, 2), 0, 0, ENTRY(13, 1), 0x7f };

	is(no_start, sizeof(no_start), 1, 0, -EBADMSG, 0);
	is(unterminated, sizeof(unterminated), 1, 0, -EBADMSG, 0);
	is(nothing, sizeof(nothing), 1, 0, -EBADMSG, 0);
	is(runs_into_entry, sizeof(runs_into_entry), 1, 0, -EBADMSG, 0);
	is(seven_chunks, sizeof(seven_chunks), 1, 0, -EBADMSG, 0);
	is(above_32_bits, sizeof(above_32_bits), 1, 0, -EBADMSG, 0);
	/* What comes before the damage is still good. */
	is(later, sizeof(later), 1, 1, 0, 2);
	is(later, sizeof(later), 1, 2, -EBADMSG, 0);
}

/* 3 in the sixth chunk is bits 30 and 31: the largest values, up and down. */
static const __u8 up[] = { ENTRY(13, 8), 0x7e, 0x7f, 0x7f, 0x7f, 0x7f, 3 };
static const __u8 down[] = { ENTRY(13, 8), 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 3 };

TEST(test_lines_out_of_range)
{
	__u8 both[sizeof(up) + sizeof(down)];

	is(up, sizeof(up), 0, 0, 0, INT_MAX);
	is(up, sizeof(up), 1, 0, 0, 0);
	is(up, sizeof(up), INT_MAX, 0, 0, 0);
	is(down, sizeof(down), 0, 0, 0, 0);
	is(down, sizeof(down), INT_MIN, 0, 0, 0);
	is(down, sizeof(down), INT_MAX, 0, 0, 0);
	memcpy(both, up, sizeof(up));
	memcpy(both + sizeof(up), down, sizeof(down));
	is(both, sizeof(both), 5, 8, 0, 5);
}

/* The largest table that is ever accepted, all of one entry that moves the line as far as it goes. */
TEST(test_largest_tables)
{
	const size_t len = LINETABLE_MAX / sizeof(up) * sizeof(up);
	__u8 *table = malloc(LINETABLE_MAX);

	assert_non_null(table);
	for (size_t i = 0; i < len; i += sizeof(up))
		memcpy(table + i, up, sizeof(up));
	is(table, len, INT_MAX, (__u32)(len / sizeof(up) * 8 - 1), 0, 0);
	for (size_t i = 0; i < len; i += sizeof(down))
		memcpy(table + i, down, sizeof(down));
	is(table, len, INT_MIN, (__u32)(len / sizeof(down) * 8 - 1), 0, 0);

	memset(table, ENTRY(15, 8), LINETABLE_MAX);
	is(table, LINETABLE_MAX, 3, 8 * LINETABLE_MAX - 1, 0, 0);
	is(table, LINETABLE_MAX, 3, 8 * LINETABLE_MAX, -ENOENT, 0);
	memset(table, 0x41, LINETABLE_MAX);
	table[0] = ENTRY(11, 1);
	is(table, LINETABLE_MAX, 3, 0, 0, 4);
	is(table, LINETABLE_MAX, 3, 1, -ENOENT, 0);
	free(table);
}

TEST(test_noise)
{
	__u8 table[64];
	__u32 seed = 99;
	struct line_position p;
	int r;

	for (int round = 0; round < 50000; round++) {
		for (size_t i = 0; i < sizeof(table); i++) {
			seed = seed * 1664525 + 1013904223;
			table[i] = (__u8)(seed >> 24);
		}
		table[0] |= 0x80;
		p = (struct line_position){ .line = -1, .column = -1 };
		r = linetable_line(table, seed % (sizeof(table) + 1), (int)seed, seed >> 8 & 127, &p);
		assert_true(r == 0 || r == -ENOENT || r == -EBADMSG);
		assert_true(r ? p.line == -1 && p.column == -1 : p.line >= 0 && p.column >= 0);
		assert_true(r || p.line || !p.column);
	}
}

TEST(test_formats)
{
	assert_ptr_equal(linetable_for_format(LINES_LOCATIONS), linetable_line);
	assert_ptr_equal(linetable_for_format(LINES_310), linetable_line_310);
	assert_ptr_equal(linetable_for_format(LINES_LNOTAB), linetable_line_lnotab);
	assert_ptr_equal(linetable_for_format(LINES_27), linetable_line_27);
	assert_null(linetable_for_format(LINES_27 + 1));
	assert_null(linetable_for_format(~0U));
}
