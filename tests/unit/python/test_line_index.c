// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_line_index.c - an index answers what the decoder from the start answers, for every instruction of
 * large tables of each format, good, damaged or of noise; and fast, however the table is made. Real tables
 * are compared by tests/oracle, every instruction of the standard library.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "python/line_index.h"
#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"

#define FORMATS (LINES_27 + 1)
#define SIZE	6000

static __u32 seed = 7;

static __u32 next_random(void)
{
	seed = seed * 1664525 + 1013904223;
	return seed >> 8;
}

/* As a compiler makes them: entries of all kinds, with as many bytes as each has. */
static size_t fill_locations(__u8 *table, size_t size)
{
	size_t at = 0;

	while (at + 8 <= size) {
		__u32 code = next_random() % 16, bytes = code < 10 ? 1 : code < 13 ? 2 : 0;

		table[at++] = 0x80 | code << 3 | next_random() % 8;
		for (__u32 i = 0; i < bytes; i++)
			table[at++] = next_random() % 128;
		if (code == 13 || code == 14)
			table[at++] = next_random() % 64;
		for (int i = 0; code == 14 && i < 3; i++)
			table[at++] = next_random() % 64;
	}
	return at;
}

static size_t fill(__u32 format, __u8 *table, size_t size)
{
	if (format == LINES_LOCATIONS)
		return fill_locations(table, size);
	/* Pairs; of no bytes now and then. */
	for (size_t i = 0; i < size; i++)
		table[i] = i % 2 || next_random() % 4 ? next_random() % 20 - i % 2 * 8 : 0;
	return size;
}

static void fill_noise(__u8 *table, size_t size)
{
	for (size_t i = 0; i < size; i++)
		table[i] = next_random();
}

/* An allocation of exactly its size, so that a sanitizer sees a byte too many. */
static __u8 *copy_of(const __u8 *table, size_t size)
{
	__u8 *copy = malloc(size ? size : 1);

	assert_non_null(copy);
	memcpy(copy, table, size);
	return copy;
}

static struct line_index *index_of(__u32 format, const __u8 *table, size_t size, int first_line)
{
	struct line_index *index = NULL;

	assert_int_equal(line_index_new(format, table, size, first_line, &index), 0);
	return index;
}

static void same(__u32 format, const struct line_index *index, const __u8 *table, size_t size, int first,
		 __u32 instr)
{
	struct line_position is = { .line = -7, .column = -7 }, should = is;
	int expected = linetable_for_format(format)(table, size, first, instr, &should);

	assert_int_equal(line_index_line(index, table, size, instr, &is), expected);
	assert_int_equal(is.line, should.line);
	assert_int_equal(is.column, should.column);
}

/* Every instruction up to far behind the end. */
static void compare(__u32 format, const __u8 *bytes, size_t size, int first)
{
	_cleanup_free_ __u8 *table = copy_of(bytes, size);
	_cleanup_free_ struct line_index *index = index_of(format, table, size, first);
	const __u32 last = size < 1000 ? 1000 : 15000;

	for (__u32 instr = 0; instr < last; instr++)
		same(format, index, table, size, first, instr);
	same(format, index, table, size, first, UINT_MAX);
}

TEST(every_instruction)
{
	static __u8 table[SIZE];

	for (__u32 format = 0; format < FORMATS; format++)
		for (int round = 0; round < 3; round++)
			compare(format, table, fill(format, table, sizeof(table)), 1000000);
}

/* Around each multiple of the step, and the smallest there are. */
TEST(every_size)
{
	static __u8 table[2 * LINE_INDEX_STEP + 3];

	for (__u32 format = 0; format < FORMATS; format++)
		for (size_t size = 0; size <= sizeof(table); size++) {
			fill(format, table, sizeof(table));
			compare(format, table, size, 100);
		}
}

TEST(damaged_tables)
{
	static __u8 table[SIZE];

	for (__u32 format = 0; format < FORMATS; format++)
		for (int round = 0; round < 20; round++) {
			size_t size = fill(format, table, 1500);

			for (int i = 0; i < 3; i++)
				table[next_random() % size] = next_random();
			compare(format, table, size, (int)next_random());
		}
}

TEST(noise)
{
	static __u8 table[999];

	for (__u32 format = 0; format < FORMATS; format++)
		for (int round = 0; round < 50; round++) {
			fill_noise(table, sizeof(table));
			table[0] |= 0x80;
			compare(format, table, sizeof(table), (int)next_random());
		}
}

static double cpu_seconds(void)
{
	return clock_ns_of(CLOCK_PROCESS_CPUTIME_ID) / 1e9;
}

/*
 * 100,000 places in a table of 1 MiB of each make. Each of them took up to 4 ms from the start, which is
 * minutes. A table may be of entries that take long to pass over, or that cover nothing.
 */
TEST(large_tables_are_fast)
{
	static __u8 table[LINETABLE_MAX];
	static const struct {
		__u32 format;
		__u8 fill[4]; /* again and again */
	} makes[] = {
		{ LINES_LOCATIONS, { 0x80, 0x12, 0x80, 0x13 } },
		{ LINES_LOCATIONS, { 0xf8, 0xf8, 0xf8, 0xf8 } },
		{ LINES_LOCATIONS, { 0x41, 0x41, 0x41, 0x41 } },
		{ LINES_310, { 2, 1, 2, 1 } },
		{ LINES_310, { 0, 1, 0, 1 } },
		{ LINES_LNOTAB, { 2, 1, 2, 0xff } },
		{ LINES_LNOTAB, { 0, 1, 0, 0 } },
		{ LINES_27, { 1, 1, 2, 1 } },
		{ LINES_27, { 0, 0, 0, 0 } },
	};

	for (size_t m = 0; m < ARRAY_SIZE(makes); m++) {
		_cleanup_free_ struct line_index *index = NULL;
		struct line_position p;
		double start;

		for (size_t i = 0; i < sizeof(table); i++)
			table[i] = makes[m].fill[i % 4];
		if (makes[m].format == LINES_LOCATIONS) /* a good beginning, whatever follows */
			table[0] = 0x80 | 10 << 3;
		start = cpu_seconds();
		index = index_of(makes[m].format, table, sizeof(table), 1);
		for (__u32 i = 0; i < 100000; i++)
			line_index_line(index, table, sizeof(table), i * 11 % (1 << 20), &p);
		assert_true(cpu_seconds() - start < 1);
		for (__u32 i = 0; i < 200; i++)
			same(makes[m].format, index, table, sizeof(table), 1, i * 5003);
	}
}

TEST(takes_as_much_memory_as_it_says)
{
	assert_false(line_index_wanted(LINE_INDEX_STEP));
	assert_true(line_index_wanted(LINETABLE_SMALL));
	assert_in_range(line_index_size(LINETABLE_MAX), LINETABLE_MAX / 8, LINETABLE_MAX / 4);
}

TEST(says_why_there_is_none)
{
	struct line_index *untouched = (void *)state;

	assert_int_equal(line_index_new(FORMATS, (const __u8 *)"x", 1, 1, &untouched), -EINVAL);
	assert_ptr_equal(untouched, state);
	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	allocations_left = 0;
	assert_int_equal(line_index_new(LINES_310, (const __u8 *)"x", 1, 1, &untouched), -ENOMEM);
	allocations_left = -1;
	assert_ptr_equal(untouched, state);
}
