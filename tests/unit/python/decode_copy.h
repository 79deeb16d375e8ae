/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * decode_copy.h - a line table decoded from an allocation of its own, which ends where the table does.
 */
#ifndef PYPERF_TESTS_DECODE_COPY_H
#define PYPERF_TESTS_DECODE_COPY_H

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "python/linetable.h"
#include "tests/forge/test.h"

/* Where the instruction is. A result other than 0 must leave the position as it was: -77 in both. */
static inline struct line_position decode_copy(linetable_fn *decode, const __u8 *table, size_t len, int first,
					       __u32 instr, int expected_r)
{
	/* An allocation of exactly len bytes, so that the sanitizer sees a byte too many. */
	__u8 *copy = malloc(len ? len : 1);
	struct line_position position = { .line = -77, .column = -77 };

	assert_non_null(copy);
	memcpy(copy, table, len);
	assert_int_equal(decode(copy, len, first, instr, &position), expected_r);
	if (expected_r)
		assert_true(position.line == -77 && position.column == -77);
	free(copy);
	return position;
}

#endif
