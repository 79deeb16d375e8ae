// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_function_lines.c - a function is in a profile only as all of it is: by name, file, line and kind, and
 * in stacks of that process.
 */
#include <errno.h>

#include "profile/profile.h"
#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"
#include "views/function_lines.h"

static struct profile *profile;

static void add(enum frame_kind kind, const char *name, const char *file, int begins, int line, __u32 pid)
{
	const struct profile_labels labels = { .pid = pid };
	__u32 function, locations[2];

	assert_int_equal(profile_function(profile, FRAME_PYTHON, "leaf", "/l.py", 1, &function), 0);
	assert_int_equal(profile_location(profile, function, 2, 0, 0, &locations[0]), 0);
	assert_int_equal(profile_function(profile, kind, name, file, begins, &function), 0);
	assert_int_equal(profile_location(profile, function, line, 0, 0, &locations[1]), 0);
	assert_int_equal(profile_sample(profile, EVENT_CPU, locations, 2, &labels, 1), 0);
}

static int setup(void **state)
{
	const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1 };

	(void)state;
	assert_int_equal(profile_new(&info, &profile), 0);
	add(FRAME_PYTHON, "f", "/a.py", 10, 14, 1);
	add(FRAME_PYTHON, "f", "/a.py", 10, 12, 1);
	add(FRAME_PYTHON, "f", "/a.py", 10, 19, 2);
	add(FRAME_PYTHON, "g", "/a.py", 30, 31, 2);
	add(FRAME_NATIVE, "n", "/n.py", 0, 7, 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	profile_free(profile);
	return 0;
}

static int met(const char *name, const char *file, __u32 line, __u32 pid)
{
	const struct function_wanted wanted = { name, file, line, pid };

	return function_lines_met(profile, &wanted, NULL);
}

static __u32 last(const char *name, const char *file, __u32 line)
{
	const struct function_wanted wanted = { name, file, line, 1 };

	return function_lines_last(profile, &wanted);
}

TEST(in_its_process)
{
	assert_int_equal(met("f", "/a.py", 10, 1), 1);
	assert_int_equal(met("f", "/a.py", 10, 2), 1);
	assert_int_equal(met("g", "/a.py", 30, 1), 0);
	assert_int_equal(met("f", "/a.py", 10, 3), 0);
	assert_int_equal(met("leaf", "/l.py", 1, 1), 1);
}

/* Of the process's own stacks, within the stretch. */
TEST(lines_of_its_process)
{
	const struct function_wanted wanted = { "f", "/a.py", 10, 1 };
	bool is_counted[8] = { false };
	struct lines_counted counted = { 12, 8, is_counted };

	assert_int_equal(function_lines_met(profile, &wanted, &counted), 1);
	for (__u32 i = 0; i < 8; i++)
		assert_int_equal(is_counted[i], i == 0 || i == 2);
	counted = (struct lines_counted){ 13, 1, is_counted + 7 };
	assert_int_equal(function_lines_met(profile, &wanted, &counted), 1);
	assert_false(is_counted[7]);
}

TEST(last_line_of_any_process)
{
	assert_int_equal(last("f", "/a.py", 10), 19);
	assert_int_equal(last("g", "/a.py", 30), 31);
	assert_int_equal(last("leaf", "/l.py", 1), 2);
}

TEST(all_of_it)
{
	assert_int_equal(met("g", "/a.py", 10, 2), 0);
	assert_int_equal(met("f", "/b.py", 10, 1), 0);
	assert_int_equal(met("f", "/a.py", 11, 1), 0);
	assert_int_equal(met("n", "/n.py", 0, 1), 0);
	assert_int_equal(last("g", "/a.py", 10), 0);
	assert_int_equal(last("n", "/n.py", 0), 0);
}

TEST(without_memory)
{
	int found;

	allocations_left = 0;
	found = met("f", "/a.py", 10, 1);
	allocations_left = -1;
	assert_int_equal(found, fail_malloc_works() ? -ENOMEM : 1);
}

AROUND_EACH(setup, teardown);
