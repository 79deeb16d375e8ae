// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rows.c - rows of files made by hand, of which each is known; of this very program and of the kernel's
 * page of code; and the bytes that a worker could send in their place. tests/oracle/test_rows.py compares
 * those of real files with readelf.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/forge/test.h"
#include "tests/unit/elf/forge_code.h"

/* --- what they say -------------------------------------------------------------------------------------- */

TEST(nothing_is_known)
{
	read_region(0);
	assert_int_equal(rows.count, REGION_PAGES); /* one for each page */
	holds(0, 1 << REGION_SHIFT, NONE);
	read_region(ROWS_REGIONS - 1); /* far behind the file's end */
	holds(0, 1 << REGION_SHIFT, NONE);
	assert_int_equal(try_read(ROWS_REGIONS), -ERANGE);
}

TEST(functions_and_gaps)
{
	function(0x1240, 0x1280, CODE(0x41, 0x0e, 16));
	function(0x1100, 0x1120, CODE(0x44, 0x0e, 16, 0x44, 0x0e, 24));
	read_region(0);
	holds(0, 0x1100, NONE);
	holds(0x1100, 0x1104, SP(1));
	holds(0x1104, 0x1108, SP(2));
	holds(0x1108, 0x1120, SP(3));
	holds(0x1120, 0x1240, NONE);
	holds(0x1240, 0x1241, SP(1));
	holds(0x1241, 0x1280, SP(2));
	holds(0x1280, 1 << REGION_SHIFT, NONE);
	assert_int_equal(rows.count, REGION_PAGES + 7);
}

/* Rows that say the same are one; but a page begins with one of its own. */
TEST(equal_rows_are_merged)
{
	function(0x1ff0, 0x2000, CODE(0x44, 0x0e, 8, 0x44, 0x83, 2));
	function(0x2000, 0x4010, NULL, 0);
	function(0x4010, 0x4020, NULL, 0);
	read_region(0);
	holds(0x1ff0, 0x4020, SP(1));
	assert_int_equal(rows.count, REGION_PAGES + 2);
	assert_int_equal(rows.words[3] - rows.words[2], 1);
	assert_int_equal(rows.words[5] - rows.words[4], 2);
}

TEST(across_regions)
{
	function(0xffff0, 0x200010,
		 CODE(0x44, 0x0e, 16, 0x04, 0, 0, 8, 0, 0x0e, 24, 0x04, 0, 0, 8, 0, 0x0e, 32));
	read_region(0);
	holds(0xffff0, 0xffff4, SP(1));
	holds(0xffff4, 0x100000, SP(2));
	read_region(1);
	holds(0, 0x7fff4, SP(2));
	holds(0x7fff4, 0xffff4, SP(3));
	holds(0xffff4, 0x100000, SP(4));
	read_region(2);
	holds(0, 0x10, SP(4));
	holds(0x10, 0x100000, NONE);
}

TEST(what_is_malformed_is_unknown)
{
	function(0x2000, 0x2040, CODE(0x50, 0x0e, 16, 0x50, 0x3f, 0x44, 0x0e, 24));
	function(0x2040, 0x2080, CODE(0x0e, 32));
	read_region(0);
	holds(0x2000, 0x2010, SP(1));
	holds(0x2010, 0x2020, SP(2));
	holds(0x2020, 0x2040, NONE);
	holds(0x2040, 0x2080, SP(4));
}

/* The lowest begin counts, then the first in the file, whatever order they are in. */
TEST(overlapping_functions)
{
	function(0x2010, 0x2050, CODE(0x0e, 16, 0x60, 0x0e, 24));
	function(0x2000, 0x2020, CODE(0x0e, 32));
	function(0x2000, 0x2030, CODE(0x0e, 40));
	function(0x2008, 0x2010, CODE(0x0e, 48));
	read_region(0);
	holds(0x2000, 0x2020, SP(4));
	holds(0x2020, 0x2030, SP(5));
	holds(0x2030, 0x2050, SP(3));
}

/* .debug_frame fills the gaps that .eh_frame leaves. */
TEST(both_sections)
{
	function(0x2000, 0x2020, CODE(0x0e, 16));
	debug_function(0x2000, 0x2020, CODE(0x0e, 24));
	debug_function(0x3000, 0x3020, CODE(0x0e, 32));
	read_region(0);
	holds(0x2000, 0x2020, SP(2));
	holds(0x3000, 0x3020, SP(4));
	eh.bytes.size = 0;
	read_region(0);
	holds(0x2000, 0x2020, SP(3));
	holds(0x3000, 0x3020, SP(4));
}

TEST(outside_of_the_code)
{
	function(0x800, 0x900, NULL, 0); /* in no segment with code */
	function(0x2ffff0, 0x300010, NULL, 0);
	function(0x2fffe0, 0x2ffff0, NULL, 0);
	function(0x1000, 0x1010, NULL, 0);
	read_region(0);
	holds(0x1000, 0x1010, SP(1));
	holds(0x1010, 0x100000, NONE);
	read_region(2);
	holds(0xfffe0, 0xffff0, SP(1));
	assert_int_equal(rows_find(&rows, 0xfffff), NONE);
}

/* Functions whose return address is in a register of the other machine are left out. */
TEST(another_machine)
{
	_cleanup_close_ int arm = -1;
	_cleanup_close_ int text = open("/proc/self/status", O_RDONLY | O_CLOEXEC);

	function(0x1100, 0x1120, CODE(0x0e, 16));
	arm = write_file(EM_AARCH64);
	assert_int_equal(rows_read(arm, 0, &out), 0);
	assert_int_equal(rows_parse(out.data, out.size, &rows), 0);
	holds(0, 1 << REGION_SHIFT, NONE);
	buf_clear(&out);
	assert_int_equal(buf_add_string(&out, "before"), 0);
	assert_int_equal(rows_read(text, 0, &out), -ENOEXEC);
	assert_int_equal(out.size, 6);
}

/* --- real ones ------------------------------------------------------------------------------------------ */

/* Its code need not begin in the first region. */
TEST(this_program)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	__u32 known = 0;

	for (__u32 region = 0; region < 4; region++) {
		buf_clear(&out);
		assert_int_equal(rows_read(fd, region, &out), 0);
		assert_int_equal(rows_parse(out.data, out.size, &rows), 0);
		for (__u32 i = 0; i < 1 << REGION_SHIFT; i++)
			known += rows_find(&rows, i) != NONE;
	}
	assert_true(known > 10000);
}

TEST(the_kernels_page)
{
	const __u64 vdso = getauxval(AT_SYSINFO_EHDR);
	__u32 known = 0;

	if (!vdso) {
		assert_int_equal(rows_read_vdso(0, &out), -ENOENT);
		print_message("SKIP: the kernel maps no page of code\n");
		skip();
	}
	assert_int_equal(rows_read_vdso(0, &out), 0);
	assert_int_equal(rows_parse(out.data, out.size, &rows), 0);
	for (__u32 i = 0; i < 1 << REGION_SHIFT; i++)
		known += rows_find(&rows, i) != NONE;
	assert_true(known > 200 && known < 65536);
}

/* --- the receiving side --------------------------------------------------------------------------------- */

static void refused(void)
{
	struct rows r;

	assert_int_equal(rows_parse(out.data, out.size, &r), -EBADMSG);
}

TEST(bytes_that_lie)
{
	__u32 *words, *row;

	function(0x1100, 0x1120, CODE(0x44, 0x0e, 16, 0x44, 0x0e, 24));
	read_region(0);
	words = (__u32 *)out.data; /* header: 2; index: 257; rows */
	row = words + 2 + REGION_INDEX;
	out.size--;
	refused();
	out.size = 7;
	refused();
	out.size = sizeof(struct rows_header) + (REGION_INDEX + rows.count) * 4;
	assert_int_equal(rows_parse(out.data, out.size, &rows), 0);
#define LIE(word, value)                                                                                     \
	do {                                                                                                 \
		const __u32 was = (word);                                                                    \
		(word) = (value);                                                                            \
		refused();                                                                                   \
		(word) = was;                                                                                \
	} while (0)
	LIE(words[0], ROWS_REGIONS);
	LIE(words[1], words[1] + 1);
	LIE(words[1], words[1] - 1);
	LIE(words[1], ~0U);
	LIE(words[2], 1);		 /* the first page's */
	LIE(words[2 + 7], words[2 + 6]); /* a page without rows */
	LIE(words[2 + 7], words[2 + 8]);
	LIE(words[2 + 7], ~0U);
	LIE(words[2 + 256], words[2 + 256] - 1);
	LIE(row[1], row_make(1, NONE)); /* a page's first row */
	LIE(row[2], row_make(0, NONE)); /* not ascending */
	LIE(row[3], row[2]);
	LIE(row[0], row_make(0, rule_make_small(RULE_SPECIAL, 9, 0, 0)));
	assert_int_equal(rows_parse(out.data, out.size, &rows), 0);
}

AROUND_EACH(setup, teardown);
