// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_unlooked.c - which processes count as those that nobody could look at.
 */

#include <stdio.h>
#include <unistd.h>

#include "bpf/abi.h"
#include "targets/unlooked.h"
#include "tests/forge/test.h"

#define SECOND	 1000000000ULL
#define UID(uid) (USER_BY_UID | (uid))

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
	unlooked_asked(&u, 1, UID(1000), 0);
	unlooked_asked(&u, 2, UID(1000), 0);
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
	unlooked_asked(&u, 1, UID(1000), 0);
	unlooked_asked(&u, 1, UID(1000), 5 * SECOND); /* from the first time on */
	unlooked_asked(&u, 2, UID(1000), 0);
	assert_int_equal(unlooked_count(&u, 2 * SECOND), 2);
	unlooked_known(&u, 1);
	assert_int_equal(unlooked_count(&u, 2 * SECOND), 1);
	unlooked_ended(&u, 2, 2 * SECOND);
	assert_int_equal(unlooked_count(&u, 2 * SECOND), 1); /* for good */
}

TEST(a_failure_counts_at_once)
{
	unlooked_asked(&u, 1, UID(1000), 0);
	unlooked_failed(&u, 1);
	assert_int_equal(unlooked_count(&u, 0), 1);
	unlooked_known(&u, 1); /* the next attempt */
	assert_int_equal(unlooked_count(&u, 0), 0);
	unlooked_asked(&u, 1, UID(1000), 0);
	unlooked_failed(&u, 1);
	unlooked_ended(&u, 1, 0);
	assert_int_equal(unlooked_count(&u, 0), 1);
}

static void expect_whose(const char *text)
{
	char whose[UNLOOKED_WHOSE_SIZE];

	unlooked_whose(&u, 2 * SECOND, whose);
	assert_string_equal(whose, text);
}

TEST(whose_they_are)
{
	char own[OWNER_NAME_SIZE], text[UNLOOKED_WHOSE_SIZE];

	expect_whose("");
	for (__u32 i = 0; i < 30; i++)
		unlooked_asked(&u, i, UID(i < 20 ? 1000 : i < 29 ? 0 : 7), i == 25 ? 2 * SECOND : 0);
	expect_whose("20 of uid 1000, 8 of uid 0, 1 of uid 7");
	unlooked_ended(&u, 3, 2 * SECOND);
	unlooked_known(&u, 4);
	unlooked_asked(&u, 40, UID(9), 0);
	unlooked_asked(&u, 41, UID(10), 0);
	expect_whose("19 of uid 1000, 8 of uid 0, 1 of uid 7, 2 of others");
	unlooked_free(&u);
	u = (struct unlooked){ 0 };
	/* In two cgroups of which nothing says more than the process does. */
	unlooked_asked(&u, getpid(), 5, 0);
	unlooked_asked(&u, getppid(), 6, 0);
	owner_name(getpid(), own);
	snprintf(text, sizeof(text), "2 of %s", own);
	expect_whose(text);
}

TEST(of_more_users_than_there_is_room_for)
{
	for (__u32 i = 0; i < UNLOOKED_USERS + 5; i++)
		unlooked_asked(&u, i, UID(i), 0);
	unlooked_ended(&u, UNLOOKED_USERS, 2 * SECOND);
	expect_whose("1 of uid 0, 1 of uid 1, 1 of uid 2, 66 of others");
	assert_int_equal(unlooked_count(&u, 2 * SECOND), UNLOOKED_USERS + 5);
}

TEST(bounded)
{
	for (__u32 i = 0; i < UNLOOKED_MAX + 10; i++)
		unlooked_asked(&u, i, UID(1000), 0);
	assert_int_equal(unlooked_count(&u, 2 * SECOND), UNLOOKED_MAX);
}

AROUND_EACH(NULL, teardown);
