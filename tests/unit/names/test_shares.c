// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_shares.c - nobody has more than is left for the others, and whoever comes later finds room.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "names/shares.h"

static void no_more_than_is_left(void **state)
{
	(void)state;
	assert_true(share_may(0, 50, 100));
	assert_false(share_may(0, 51, 100));
	assert_true(share_may(49, 1, 51));
	assert_false(share_may(50, 1, 50));
	assert_false(share_may(0, 101, 100));
	assert_false(share_may(0, ~0ULL, 100));
	assert_true(share_may(100, 0, 100));
}

/* Each of so many users takes all that it may, one after the other. */
static void the_last_finds_room(void **state)
{
	__u64 left = 16384;

	(void)state;
	for (int user = 0; user < 6; user++) {
		__u64 has = 0;

		for (; share_may(has, 1, left); left--)
			has++;
		assert_true(has == left || has == left - 1);
	}
	assert_int_equal(left, 256);
}

static void by_user(void **state)
{
	struct share *a, *again, *b;
	struct shares *s;

	(void)state;
	assert_int_equal(shares_new(&s), 0);
	assert_null(shares_find(s, 7));
	assert_int_equal(shares_take(s, 7, 100, &a), 0);
	assert_int_equal(shares_take(s, 8, 10, &b), 0);
	assert_int_equal(shares_take(s, 7, 1000, &again), 0);
	assert_ptr_equal(a, again);
	assert_int_equal(shares_find(s, 7)->count, 2);
	assert_int_equal(shares_find(s, 7)->line, 1100);
	shares_drop(s, a, 100);
	assert_int_equal(shares_find(s, 7)->line, 1000);
	shares_drop(s, a, 1000);
	assert_null(shares_find(s, 7));
	assert_int_equal(shares_find(s, 8)->line, 10);
	shares_free(s);
	shares_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_more_than_is_left),
		cmocka_unit_test(the_last_finds_room),
		cmocka_unit_test(by_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
