// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_quotas.c - what comments of profiles say of quotas; and what they may say besides, since anybody may
 * have written them. That they are those which are written is shown by tests/e2e/report/test_findings.py.
 */
#include <stdio.h>
#include <string.h>

#include "recorded/quotas.h"
#include "tests/forge/test.h"

#define TEXT "CPU quota 25000 of 100000 us: used up in 38 of 40 periods, threads were held back for " \
	     "%s us and ran for 1000 us; processes%s"

static struct recorded_quotas q;

static void say(const char *held, const char *rest)
{
	char text[1024];

	snprintf(text, sizeof(text), TEXT, held, rest);
	recorded_quotas_comment(&q, text);
}

static int setup(void **state)
{
	(void)state;
	memset(&q, 0, sizeof(q));
	return 0;
}

TEST(of_several_profiles)
{
	say("3000", " 12 34 of cgroup /a b");
	say("4000", " 34 56 and others of cgroup /a b");
	say("1", " of cgroup /c");
	assert_int_equal(q.count, 2);
	assert_string_equal(q.rows[0].cgroup, "/a b");
	assert_int_equal(q.rows[0].quota_us, 25000);
	assert_int_equal(q.rows[0].period_us, 100000);
	assert_int_equal(q.rows[0].ended_early, 76);
	assert_int_equal(q.rows[0].periods, 80);
	assert_int_equal(q.rows[0].held_us, 7000);
	assert_int_equal(q.rows[0].ran_us, 2000);
	assert_int_equal(q.rows[0].pid_count, 3);
	assert_int_equal(q.rows[0].pids[2], 56);
	assert_int_equal(q.rows[0].more, 1);
	assert_int_equal(q.rows[1].pid_count, 0);
	assert_int_equal(q.rows[1].more, 0);
}

TEST(nothing_is_believed)
{
	char rest[512] = " ";

	recorded_quotas_comment(&q, "");
	recorded_quotas_comment(&q, "CPU quota");
	say("-1", " 1 of cgroup /a");
	say("9007199254740992", " 1 of cgroup /a");
	say("99999999999999999999999", " 1 of cgroup /a");
	say("x", " 1 of cgroup /a");
	say("1", "");
	say("1", " 1 2");
	say("1", " 1 in /a");
	assert_int_equal(q.count, 0);
	memset(rest, ' ', sizeof(rest));
	memcpy(rest, " of cgroup ", strlen(" of cgroup "));
	memset(rest + 32, '1', sizeof(rest) - 33);
	rest[sizeof(rest) - 1] = '\0';
	say("1", rest);
	assert_int_equal(q.count, 1);
	assert_int_equal(strlen(q.rows[0].cgroup), sizeof(q.rows[0].cgroup) - 1);
}

TEST(there_is_an_end)
{
	for (int i = 0; i < 3 * RECORDED_QUOTA_PIDS; i++) {
		char rest[64];

		snprintf(rest, sizeof(rest), " %d of cgroup /a", i + 1);
		say("9007199254740991", rest);
		snprintf(rest, sizeof(rest), " %d of cgroup /%d", i + 1, i);
		say("1", rest);
	}
	assert_int_equal(q.count, RECORDED_QUOTAS_MAX);
	assert_int_equal(q.rows[0].pid_count, RECORDED_QUOTA_PIDS);
	assert_int_equal(q.rows[0].more, 1);
	assert_int_equal(q.rows[0].held_us, 9007199254740991);
}

AROUND_EACH(setup, NULL);
