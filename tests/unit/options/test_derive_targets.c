// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_derive_targets.c - which processes are meant: one target, and lists of processes.
 */
#include <limits.h>

#include "tests/forge/test.h"
#include "tests/unit/options/parse_line.h"
#include "options/derive.h"

TEST(pids)
{
	static const char *const bad[] = {
		"", ",", "1,", ",1", "1,,2", "0", "-1", "1,0", "x", "1x", "1 2", "1;2", "1.5", "0x10",
		"2147483648", "all", "1, x", "1,-2", "99999999999999999999", "\xff",
	};
	static char many[60000];
	size_t used = 0;

	ACCEPT("-p", "4711");
	assert_int_equal(o.pid_count, 1);
	assert_int_equal(o.pid_list[0], 4711);
	ACCEPT("--pid=1,22,2147483647");
	assert_int_equal(o.pid_count, 3);
	assert_int_equal(o.pid_list[0], 1);
	assert_int_equal(o.pid_list[1], 22);
	assert_int_equal(o.pid_list[2], INT_MAX);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		REFUSE("--pid", "-p", bad[i]);
	/* The densest list there is: a digit for each process. */
	for (int i = 0; i < 10000; i++)
		used += snprintf(many + used, sizeof(many) - used, "%s%d", i ? "," : "", i % 9 + 1);
	ACCEPT("-p", many);
	assert_int_equal(o.pid_count, 10000);
	assert_int_equal(o.pid_list[9999], 9999 % 9 + 1);
	options_free(&o);
	assert_null(o.pid_list);
	options_free(&o);
}

TEST(exactly_one_target)
{
	ACCEPT("-a");
	ACCEPT("-p", "1");
	ACCEPT("--", "true");
	REFUSE("--all-python", "-v");
	REFUSE("only one of", "-a", "-p", "1");
	REFUSE("only one of", "-a", "--", "true");
	REFUSE("only one of", "-p", "1", "--", "true");
	REFUSE("only one of", "-a", "-p", "1", "--", "true");
	refuse("--all-python", NULL); /* no argument at all */
	/* These two answer without a target. */
	ACCEPT("-h");
	ACCEPT("-V");
}

/* dump and tasks show what is there: one of two targets, and no program to start. */
TEST(looks)
{
	ACCEPT("tasks", "--pid", "7");
	ACCEPT("tasks", "-a", "--pod", "cart*", "--table");
	assert_true(o.table);
	ACCEPT("dump", "-a", "--json");
	assert_true(o.json);
	REFUSE("name whose tasks to show: one of --all-python and --pid PID", "tasks");
	REFUSE("name whose threads to show: one of --all-python and --pid PID", "dump");
	REFUSE("one of --all-python and --pid PID", "dump", "-a", "--pid", "7");
	REFUSE("one of --all-python and --pid PID", "tasks", "--", "true");
	REFUSE("'true' does not go with tasks", "tasks", "-a", "true");
	REFUSE("only one of --json and --table", "tasks", "-a", "--json", "--table");
}

TEST(top_is_of_everybody)
{
	ACCEPT("top");
	assert_true(o.all_python);
	assert_null(o.output);
	ACCEPT("top", "-p", "7");
	assert_false(o.all_python);
	ACCEPT("top", "--", "true");
	assert_false(o.all_python);
	REFUSE("only one of", "top", "-a", "-p", "7");
}

/* A command that is about no process has no row yet. */
TEST(no_target)
{
	static const struct command_row row = { .name = "doctor", .takes = GROUP_TALK };

	ACCEPT("-h", "--", "true");
	o.subcommand = &row;
	assert_int_equal(derive_targets(&o, error, sizeof(error)), -EINVAL);
	assert_string_equal(error, "'true' does not go with doctor");
	o.command = NULL;
	assert_int_equal(derive_targets(&o, error, sizeof(error)), 0);
}

/* Which of the processes: each list has at least one name in it. */
TEST(selection)
{
	static const char *const lists[] = { "--comm", "--cgroup", "--container", "--pod", "--namespace",
					     "--exclude-comm", "--exclude-cgroup" };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		ACCEPT("-a", lists[i], "one*,two");
		REFUSE(lists[i], "-a", lists[i], "");
		REFUSE(lists[i], "-a", lists[i], "one,,two");
	}
	ACCEPT("-p", "7", "--children");
	REFUSE("--children goes with --pid", "-a", "--children");
	ACCEPT("--children", "--", "true");
}

AROUND_ALL(NULL, free_options);
