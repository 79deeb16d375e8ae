// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_gaps.c - code of arm64 without call frames: what a signal's handler returns to, wherever it stands.
 * The procedure linkage tables of real files are compared in tests/oracle/test_rows_arm64.py.
 */
#include <stdlib.h>
#include <string.h>

#include "elf/gaps.h"
#include "tests/forge/test.h"
#include "tests/unit/elf/forge_code.h"

#define LENGTH 0x2000 /* of the segment at CODE_AT */

static const __u32 sigreturn[] = { 0xd2801168, 0xd4000001 };

static struct gaps find_with(__u32 at, __u64 length)
{
	_cleanup_close_ int fd = write_file(EM_AARCH64);
	_cleanup_(elf_file_cleanup) Elf *elf = NULL;
	const struct code_loads loads = { .list = { { BIAS + CODE_AT, CODE_AT, length } }, .count = 1 };
	struct gaps gaps = { .count = 0 };

	assert_int_equal(elf_file_open(fd, &elf), 0);
	if (at)
		assert_int_equal(pwrite(fd, sigreturn, sizeof(sigreturn), at), sizeof(sigreturn));
	assert_int_equal(gaps_find(fd, elf, &loads, &gaps), 0);
	return gaps;
}

TEST(nothing)
{
	assert_int_equal(find_with(0, LENGTH).count, 0);
}

/* With the instruction before, in which the address before the one returned to is. */
TEST(the_function_that_ends_signals)
{
	static const __u32 places[] = { CODE_AT + 4, CODE_AT + 0x124, CODE_AT + LENGTH - 8 };

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		const struct gaps gaps = find_with(places[i], LENGTH);

		assert_int_equal(gaps.count, 1);
		assert_int_equal(gaps.list[0].begin, places[i] - 4);
		assert_int_equal(gaps.list[0].end, places[i] + 8);
		assert_int_equal(gaps.list[0].rule, rule_make_small(RULE_SPECIAL, RULE_SIGNAL, 0, 0));
	}
}

TEST(what_is_not_one)
{
	assert_int_equal(find_with(CODE_AT + 0x122, LENGTH).count, 0);	    /* not at an instruction */
	assert_int_equal(find_with(CODE_AT + LENGTH - 4, LENGTH).count, 0); /* cut */
	assert_int_equal(find_with(CODE_AT + LENGTH, LENGTH).count, 0);
	assert_int_equal(find_with(CODE_AT + 0x124, (1 << 20) + 4).count, 0); /* too much to search */
}

AROUND_EACH(setup, teardown);
