// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_quotas.c - what cgroups were held back for between two moments, from readings of their processes.
 */
#include <stdio.h>
#include <string.h>

#include "targets/quotas.h"
#include "tests/forge/test.h"

static struct quotas q;
static struct quotas_mark begin, end;
static struct profile_info info;

static int setup(void **state)
{
	(void)state;
	memset(&q, 0, sizeof(q));
	return 0;
}

static void meet(__u32 pid, const char *path, __u64 held_us)
{
	struct cpu_quota read = { .quota_us = 25000, .period_us = 100000, .periods = held_us / 10,
				  .ended_early = held_us / 20, .held_us = held_us, .ran_us = held_us / 2 };

	strcpy(read.path, path);
	quotas_meet(&q, pid, &read);
}

static void between(void)
{
	quotas_set_mark(&q, &end);
	quotas_between(&q, &begin, &end, &info);
}

TEST(from_mark_to_mark)
{
	meet(1, "/a", 1000);
	quotas_set_mark(&q, &begin);
	meet(1, "/a", 1400);
	meet(2, "/a", 1800);
	between();
	assert_int_equal(info.quota_count, 1);
	assert_string_equal(info.quotas[0].cgroup, "/a");
	assert_int_equal(info.quotas[0].held_us, 800);
	assert_int_equal(info.quotas[0].ran_us, 400);
	assert_int_equal(info.quotas[0].periods, 80);
	assert_int_equal(info.quotas[0].ended_early, 40);
	assert_int_equal(info.quotas[0].pid_count, 2);
	assert_int_equal(info.quotas[0].pids[1], 2);
	meet(1, "/a", 2000); /* after the mark */
	quotas_between(&q, &begin, &end, &info);
	assert_int_equal(info.quotas[0].held_us, 800);
	begin = end;
	between();
	assert_int_equal(info.quotas[0].held_us, 200);
}

TEST(what_came_later_counts_from_its_first_reading)
{
	quotas_set_mark(&q, &begin);
	meet(1, "/a", 1000);
	between();
	assert_int_equal(info.quota_count, 0);
	meet(1, "/a", 1300);
	meet(2, "", 0); /* no quota */
	between();
	assert_int_equal(info.quota_count, 1);
	assert_int_equal(info.quotas[0].held_us, 300);
}

TEST(another_cgroup_of_the_name_is_another)
{
	meet(1, "/a", 1000);
	quotas_set_mark(&q, &begin);
	meet(2, "/a", 10);
	between();
	assert_int_equal(info.quota_count, 0);
	meet(2, "/a", 40);
	between();
	assert_int_equal(info.quotas[0].held_us, 30);
	assert_int_equal(info.quotas[0].pid_count, 1);
}

TEST(the_longest_come_first)
{
	for (__u32 i = 0; i < 9; i++) {
		char path[8];

		snprintf(path, sizeof(path), "/%u", i);
		meet(i + 1, path, 0);
	}
	quotas_set_mark(&q, &begin);
	for (__u32 i = 0; i < 9; i++) {
		char path[8];

		snprintf(path, sizeof(path), "/%u", i);
		meet(i + 1, path, i * 7 % 9); /* each another one, one of them nothing */
	}
	between();
	assert_int_equal(info.quota_count, PROFILE_QUOTAS_MAX);
	for (__u32 i = 0; i < PROFILE_QUOTAS_MAX; i++)
		assert_int_equal(info.quotas[i].held_us, 8 - i);
}

TEST(there_is_an_end_of_rows_and_processes)
{
	for (__u32 i = 0; i < 2 * QUOTAS_MAX; i++) {
		char path[8];

		snprintf(path, sizeof(path), "/%u", i);
		meet(i + 1, path, 100);
		meet(1, "/a", 100 + i);
	}
	quotas_set_mark(&q, &begin);
	for (__u32 i = 0; i < 2 * PROFILE_QUOTA_PIDS; i++)
		meet(i + 1, "/a", 300);
	between();
	assert_int_equal(info.quota_count, 1); /* who is met all the time has stayed */
	assert_int_equal(info.quotas[0].held_us, 300 - (100 + 2 * QUOTAS_MAX - 1));
	assert_int_equal(info.quotas[0].pid_count, PROFILE_QUOTA_PIDS);
	assert_int_equal(info.quotas[0].more, 1);
}

AROUND_EACH(setup, NULL);
