// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rows_bounds.c - files that mean harm: whatever they say of call frames, the rows, the work and what is
 * read are bounded, and other regions of the file are as they would be without. All is counted, not timed.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "elf/code_file.h"
#include "tests/forge/test.h"
#include "tests/unit/elf/forge_code.h"

/* A row for each byte of the first 64 pages: as many as there may be, and one more. */
TEST(too_many_rows)
{
	const __u32 most = REGION_ROWS - (REGION_PAGES - 64); /* the others begin pages */
	_cleanup_buf_ struct buf code = { 0 };

	for (__u32 i = 0; i <= most; i++)
		assert_int_equal(buf_add(&code, (__u8[]){ 0x0e, i % 2 ? 16 : 24, 0x41 }, 3), 0);
	function(0x100000, 0x200000, code.data, code.size - 3);
	read_region(1);
	assert_int_equal(rows.count, REGION_ROWS);
	holds(most - 1, 1 << REGION_SHIFT, SP(2));
	teardown(state);
	setup(state);
	function(0x100000, 0x200000, code.data, code.size);
	assert_int_equal(try_read(1), -E2BIG);
	assert_int_equal(out.size, 0);
	assert_int_equal(try_read(0), 0); /* the others are not affected */
}

/* Any number of functions over the same bytes: those that an earlier one covers are not even executed. */
TEST(the_same_bytes_again_and_again)
{
	_cleanup_buf_ struct buf code = { 0 };

	for (int i = 0; i < 65536; i++)
		assert_int_equal(buf_add(&code, "\x0e\x08\x0e\x10", 4), 0);
	/* 64 times 256 KiB of instructions would be more than the bound of 8 MiB. */
	for (int i = 0; i < 64; i++)
		function(0x2000, 0x3000, code.data, code.size);
	read_region(0);
	holds(0x2000, 0x3000, SP(2));
	/* Now each one has a byte that no other one has. */
	for (int i = 1; i < 64; i++)
		function(0x2000, 0x3000 + i, code.data, code.size);
	assert_int_equal(try_read(0), -E2BIG);
	assert_int_equal(try_read(1), 0);
}

TEST(too_many_functions)
{
	for (int i = 0; i < ROWS_FUNCTIONS_MAX; i++)
		function(0x2000 + i % 4096, 0x3000, NULL, 0);
	read_region(0);
	holds(0x2000, 0x3000, SP(1));
	function(0x2000, 0x3000, NULL, 0);
	assert_int_equal(try_read(0), -E2BIG);
	assert_int_equal(try_read(1), 0);
}

/* What is common is executed for each function that has it, and so counts each time. */
TEST(much_in_common)
{
	_cleanup_buf_ struct buf code = { 0 };

	for (int i = 0; i < 32768; i++)
		assert_int_equal(buf_add(&code, "\x0e\x08", 2), 0);
	eh_usual = frames_common(&eh, "zR", "\x1b", 1, code.data, code.size);
	for (int i = 0; i < 120; i++)
		function(0x2000 + 16 * i, 0x2010 + 16 * i, NULL, 0);
	assert_int_equal(try_read(0), 0);
	for (int i = 120; i < 140; i++)
		function(0x2000 + 16 * i, 0x2010 + 16 * i, NULL, 0);
	assert_int_equal(try_read(0), -E2BIG);
}

/* What is read of a file's sections in all; one that is too much is left out. */
TEST(large_sections)
{
	function(0x2000, 0x2020, NULL, 0);
	frames_put_u32(&eh, 0);
	debug_function(0x3000, 0x3020, NULL, 0);
	padding = CODE_FRAMES_MAX - eh.bytes.size - debug.bytes.size;
	read_region(0);
	holds(0x2000, 0x2020, SP(1));
	holds(0x3000, 0x3020, SP(1));
	padding++;
	read_region(0);
	holds(0x2000, 0x2020, SP(1));
	assert_int_equal(rows_find(&rows, 0x3000), NONE);
	padding = CODE_FRAMES_MAX;
	read_region(0);
	assert_int_equal(rows_find(&rows, 0x2000), NONE);
	holds(0x3000, 0x3020, SP(1));
}

/* Four billion bytes to advance by, each of many times, and a function as large as all addresses. */
TEST(far_ahead)
{
	_cleanup_buf_ struct buf code = { 0 };

	for (int i = 0; i < 10000; i++)
		assert_int_equal(buf_add(&code, "\x04\xff\xff\xff\xff\x0e\x10", 7), 0);
	function(0x2000, 0x3000, code.data, code.size);
	debug_function(0x2000, 0x2000ULL - BIAS, NULL, 0);
	debug_function(0, ~0ULL, NULL, 0);
	read_region(0);
	holds(0x2000, 0x3000, SP(1));
	assert_int_equal(rows.count, REGION_PAGES); /* it is one page */
	read_region(1);
	holds(0, 1 << REGION_SHIFT, NONE);
}

AROUND_EACH(setup, teardown);
