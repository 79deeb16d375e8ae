// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_shares.c - what each user has is counted, and a user who has nothing is forgotten.
 */

#include "names/shares.h"
#include "tests/forge/test.h"

TEST(by_user)
{
	struct owner_share *a, *again, *b;
	struct shares *s;

	assert_int_equal(shares_new(&s), 0);
	assert_null(shares_find(s, 7));
	assert_int_equal(shares_take(s, 7, 100, &a), 0);
	assert_int_equal(shares_take(s, 8, 10, &b), 0);
	assert_int_equal(shares_take(s, 7, 1000, &again), 0);
	assert_ptr_equal(a, again);
	assert_int_equal(shares_owners(s), 2);
	assert_ptr_equal(shares_most(s), a);
	assert_int_equal(shares_find(s, 7)->count, 2);
	assert_int_equal(shares_count(s, 7), 2);
	assert_int_equal(shares_find(s, 7)->line, 1100);
	shares_drop(s, a, 100);
	assert_int_equal(shares_find(s, 7)->line, 1000);
	shares_drop(s, a, 1000);
	assert_null(shares_find(s, 7));
	assert_int_equal(shares_count(s, 7), 0);
	assert_int_equal(shares_owners(s), 1);
	assert_int_equal(shares_find(s, 8)->line, 10);
	shares_free(s);
	shares_free(NULL);
}
