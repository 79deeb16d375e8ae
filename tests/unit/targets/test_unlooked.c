// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_unlooked.c - which processes count as those that nobody could look at.
 */

#include "targets/unlooked.h"
#include "tests/forge/test.h"

#define SECOND 1000000000ULL

static struct unlooked u;

static int teardown(void **state)
{
	(void)state;
	unlooked_free(&u);
	u = (struct unlooked){ 0 };
	return 0;
}

TEST(looked_at_in_time)
{
	unlooked_asked(&u, 1, 0);
	unlooked_asked(&u, 2, 0);
	assert_int_equal(unlooked_count(&u, SECOND / 2), 0);
	unlooked_known(&u, 1);
	unlooked_ended(&u, 2, SECOND / 2); /* a short one, as most are */
	assert_int_equal(unlooked_count(&u, 9 * SECOND), 0);
	unlooked_failed(&u, 3); /* nobody asked, since it was known already */
	unlooked_ended(&u, 3, SECOND);
	assert_int_equal(unlooked_count(&u, 9 * SECOND), 0);
}

TEST(who_waits_counts)
{
	unlooked_asked(&u, 1, 0);
	unlooked_asked(&u, 1, 5 * SECOND); /* from the first time on */
	unlooked_asked(&u, 2, 0);
	assert_int_equal(unlooked_count(&u, 2 * SECOND), 2);
	unlooked_known(&u, 1);
	assert_int_equal(unlooked_count(&u, 2 * SECOND), 1);
	unlooked_ended(&u, 2, 2 * SECOND);
	assert_int_equal(unlooked_count(&u, 2 * SECOND), 1); /* for good */
}

TEST(a_failure_counts_at_once)
{
	unlooked_asked(&u, 1, 0);
	unlooked_failed(&u, 1);
	assert_int_equal(unlooked_count(&u, 0), 1);
	unlooked_known(&u, 1); /* the next attempt */
	assert_int_equal(unlooked_count(&u, 0), 0);
	unlooked_asked(&u, 1, 0);
	unlooked_failed(&u, 1);
	unlooked_ended(&u, 1, 0);
	assert_int_equal(unlooked_count(&u, 0), 1);
}

TEST(bounded)
{
	for (__u32 i = 0; i < UNLOOKED_MAX + 10; i++)
		unlooked_asked(&u, i, 0);
	assert_int_equal(unlooked_count(&u, 2 * SECOND), UNLOOKED_MAX);
}

AROUND_EACH(NULL, teardown);
