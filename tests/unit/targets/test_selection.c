// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_selection.c - which processes are taken: each condition alone, all together, and lists that are none.
 */
#include <stdio.h>
#include <string.h>

#include "targets/selection.h"
#include "base/cleanup.h"
#include "tests/forge/test.h"

#define ID "76e966f5b0a1f2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b"

static const struct container in_pod = {
	.cgroup = { ID, "9e449ecd-a4b6-463e-a620-1868ca1376fc", "/kubepods/pod9e449ecd/" ID },
	.names = { "demo", "app-1", "web" },
}, outside = { .cgroup.path = "/system.slice/cron.service" };

TEST(each_condition)
{
	static const struct {
		struct selection s;
		bool pod, outside; /* what becomes of "python3" in the one and in the other */
	} rows[] = {
		{ {}, true, true },
		{ { .comm = "python3" }, true, true },
		{ { .comm = "python" }, false, false },
		{ { .comm = "gunicorn,py*" }, true, true },
		{ { .comm = "p[xy]thon?" }, true, true },
		{ { .exclude_comm = "python3" }, false, false },
		{ { .exclude_comm = "gunicorn*,celery" }, true, true },
		{ { .cgroup = "/system.slice/*" }, false, true },
		{ { .cgroup = "*/pod9e449ecd/*" }, true, false },
		{ { .cgroup = "/kubepods" }, false, false },
		{ { .cgroup = "/kubepods*,/system.slice*" }, true, true },
		{ { .exclude_cgroup = "/kubepods/*" }, false, true },
		{ { .container = "web" }, true, false },
		{ { .container = "w*" }, true, false },
		{ { .container = "76e966" }, true, false },
		{ { .container = "76e96" }, false, false },
		{ { .container = "db," ID }, true, false },
		{ { .container = ID "0" }, false, false },
		{ { .container = "6e966f5b" }, false, false },
		{ { .pod = "app-*" }, true, false },
		{ { .pod = "app" }, false, false },
		{ { .namespace = "demo" }, true, false },
		{ { .namespace = "prod,de?o" }, true, false },
		{ { .namespace = "*" }, true, true },
		{ { .comm = "python3", .namespace = "demo", .pod = "app-1", .container = "web" },
		  true,
		  false },
		{ { .comm = "python3", .namespace = "prod", .pod = "app-1", .container = "web" },
		  false,
		  false },
		{ { .comm = "python3", .exclude_comm = "python3" }, false, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (selection_takes(&rows[i].s, "python3", &in_pod) != rows[i].pod ||
		    selection_takes(&rows[i].s, "python3", &outside) != rows[i].outside)
			fail_msg("row %zu", i);
		if ((rows[i].pod || rows[i].outside) && !selection_may_take(&rows[i].s, "python3"))
			fail_msg("row %zu may be", i);
	}
	assert_true(selection_may_take(&(struct selection){ .pod = "app" }, "python3"));
	assert_false(selection_may_take(&(struct selection){ .comm = "python" }, "python3"));
	assert_false(selection_may_take(&(struct selection){ .exclude_comm = "py*" }, "python3"));
}

TEST(lists)
{
	char glob[300];

	assert_true(selection_is_list("a"));
	assert_true(selection_is_list("a,b*,[c]"));
	assert_false(selection_is_list(""));
	assert_false(selection_is_list(","));
	assert_false(selection_is_list("a,"));
	assert_false(selection_is_list(",a"));
	assert_false(selection_is_list("a,,b"));
	memset(glob, 'x', sizeof(glob));
	glob[255] = '\0';
	assert_true(selection_is_list(glob));
	glob[255] = 'x';
	glob[256] = '\0';
	assert_false(selection_is_list(glob));
}
