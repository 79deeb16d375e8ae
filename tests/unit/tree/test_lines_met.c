// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lines_met.c - different lines_met are counted once each, however many there are.
 */
#include <errno.h>

#include "tests/forge/fail_malloc.h"

#include "tree/lines_met.h"
#include "tests/forge/test.h"

TEST(each_is_counted_once)
{
	struct lines_met p = {};

	for (int round = 0; round < 3; round++)
		for (__u64 key = 1; key <= 100000; key++) {
			assert_int_equal(lines_met_add(&p, key << 20), 0);
			assert_int_equal(p.count, round ? 100000 : key);
		}
	assert_in_range(p.capacity, 2 * p.count, 4 * p.count);
	lines_met_free(&p);
	assert_int_equal(p.count, 0);
	lines_met_free(&p);
}

TEST(no_memory)
{
	struct lines_met p = {};
	__u64 key = 1;

	if (!fail_malloc_works())
		skip();
	allocations_left = 0;
	assert_int_equal(lines_met_add(&p, key), -ENOMEM);
	allocations_left = -1;
	assert_int_equal(p.count, 0);
	for (; 2 * p.count < p.capacity || !p.capacity; key++)
		assert_int_equal(lines_met_add(&p, key), 0);
	allocations_left = 0;
	assert_int_equal(lines_met_add(&p, key), -ENOMEM); /* it would have to grow */
	allocations_left = -1;
	assert_int_equal(p.count, key - 1);
	assert_int_equal(lines_met_add(&p, 1), 0);
	assert_int_equal(p.count, key - 1);
	lines_met_free(&p);
}
