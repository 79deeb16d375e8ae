// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_cpu_quota.c - the quota of a process's cgroup, of both versions. The files have what the kernel
 * writes, in a mount of our own, since a machine has the controller in one version only; the real ones of
 * this machine are those of tests/e2e/report/test_findings.py. Needs root.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "proc/cpu_quota.h"
#include "tests/forge/all_rights.h"
#include "tests/forge/test.h"

#define TOP "/sys/fs/cgroup"
#define STAT "usage_usec 5000\nuser_usec 4000\nsystem_usec 1000\nnr_periods 40\nnr_throttled 38\n" \
	     "throttled_usec 123456\nnr_bursts 0\nburst_usec 0\n"

static void put(const char *file, const char *text)
{
	_cleanup_fclose_ FILE *f = NULL;
	char path[256], *slash = path + strlen(TOP);

	snprintf(path, sizeof(path), TOP "/%s", file);
	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
}

static int setup(void **state)
{
	(void)state;
	if (!has_all_rights())
		return 0;
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -1;
	return mount("none", TOP, "tmpfs", 0, NULL);
}

static int teardown(void **state)
{
	(void)state;
	return has_all_rights() ? umount(TOP) : 0;
}

static struct cpu_quota quota(const char *cgroups)
{
	struct cpu_quota q;

	memset(&q, 0xff, sizeof(q));
	cpu_quota_read(cgroups, &q);
	return q;
}

TEST(second_version)
{
	struct cpu_quota q;

	need_all_rights();
	put("cgroup.controllers", "cpu\n");
	put("pod/a/cpu.max", "25000 100000\n");
	put("pod/a/cpu.stat", STAT);
	q = quota("0::/pod/a\n");
	assert_string_equal(q.path, "/pod/a");
	assert_int_equal(q.quota_us, 25000);
	assert_int_equal(q.period_us, 100000);
	assert_int_equal(q.periods, 40);
	assert_int_equal(q.ended_early, 38);
	assert_int_equal(q.held_us, 123456);
	assert_int_equal(q.ran_us, 5000);
}

TEST(first_version)
{
	struct cpu_quota q;

	need_all_rights();
	put("cpu/a/cpu.cfs_quota_us", "50000\n");
	put("cpu/a/cpu.cfs_period_us", "100000\n");
	put("cpu/a/cpu.stat", "nr_periods 10\nnr_throttled 4\nthrottled_time 7000999\n");
	q = quota("12:pids:/b\n3:cpu:/a\n2:cpuset:/c\n0::/\n");
	assert_string_equal(q.path, "/a");
	assert_int_equal(q.quota_us, 50000);
	assert_int_equal(q.held_us, 7000);
	assert_int_equal(q.ran_us, 500000); /* not known: as much as it may */
	put("cpu/a/cpuacct.usage", "3000000\n");
	assert_int_equal(quota("3:cpuacct,cpu:/a\n").ran_us, 3000);
	assert_string_equal(quota("3:cpuacct:/a\n").path, "");
}

TEST(the_nearest_that_has_one)
{
	need_all_rights();
	put("cgroup.controllers", "cpu\n");
	put("cpu.max", "max 100000\n");
	put("pod/cpu.max", "25000 100000\n");
	put("pod/cpu.stat", STAT);
	put("pod/a/cpu.max", "max 100000\n");
	put("pod/a/b/cpu.stat", STAT);
	assert_string_equal(quota("0::/pod/a/b\n").path, "/pod");
	assert_string_equal(quota("0::/pod/gone\n").path, "/pod");
	assert_string_equal(quota("0::/other\n").path, "");
	assert_string_equal(quota("0::/\n").path, "");
}

/* What a file or a path may say, too. */
TEST(nothing_is_believed)
{
	static const char *const texts[] = { "", "x", "0:", "0::", "0::\n", "0::pod\n", "1:cpu:\n",
					     "1:cpu:x\n", "::::\n", "0::/../pod\n", "0::/pod/../pod\n",
					     "1:cpus,xcpu:/pod\n" };
	static const char *const limits[] = { "", "max", "0 100000\n", "1 0\n", "-1 100000\n", "x y\n",
					      "99999999999999999999 1\n" };
	char longest[2048];

	need_all_rights();
	put("cgroup.controllers", "cpu\n");
	put("pod/cpu.max", "25000 100000\n");
	put("pod/cpu.stat", STAT);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_string_equal(quota(texts[i]).path, "");
	memset(longest, 'a', sizeof(longest));
	memcpy(longest, "0::/pod/", 8);
	strcpy(longest + sizeof(longest) - 2, "\n");
	assert_string_equal(quota(longest).path, "");
	assert_string_equal(quota("0::/pod\n").path, "/pod");
	put("pod/cpu.stat", "nr_periods 1\nnr_throttled 2\nthrottled_usec 3\n");
	assert_string_equal(quota("0::/pod\n").path, "");
	put("pod/cpu.stat", "nr_periods 99999999999999999999\nthrottled_usec 99999999999999999999\n");
	assert_string_equal(quota("0::/pod\n").path, "");
	put("pod/cpu.stat", "");
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		put("pod/cpu.max", limits[i]);
		assert_string_equal(quota("0::/pod\n").path, "");
	}
}

AROUND_EACH(setup, teardown);
