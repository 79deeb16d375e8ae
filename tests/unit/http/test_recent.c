// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_recent.c - intervals that follow each other over forged tables; the test sets the time.
 */
#include "tests/forge/fail_malloc.h"
#include "tests/forge/tables.h"

#include "http/recent.h"
#include "tree/window.h"
#include "tests/forge/test.h"

static struct windows windows;
static struct recent recent;

static int setup_recent(void **state)
{
	int err = setup(state);

	windows = (struct windows){
		.inputs = forged_inputs, .events = EVENT_BIT(EVENT_CPU), .frequency = 100,
	};
	recent = (struct recent){ 0 };
	if (err)
		return err;
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 0);
	return 0;
}

static int teardown_recent(void **state)
{
	recent_stop(&recent);
	assert_null(windows.first);
	return teardown(state);
}

static __u64 samples(void)
{
	return recent_profile(&recent) ? profile_total(recent_profile(&recent)) : 0;
}

/* When the interval that goes on ends, and when the one before is there. */
static void ends_at(double end)
{
	assert_false(recent.marked);
	assert_true(recent.due == end);
	recent_run(&recent, end);
	assert_true(recent.marked);
	assert_true(recent.due > end && recent.due <= end + 1);
	recent_run(&recent, recent.due);
}

/* 2, 4, 8 seconds, and then the interval's 10. */
TEST(first_ones_are_short)
{
	double end = 1000;

	assert_int_equal(recent_start(&recent, &windows, 10, end), 0);
	assert_null(recent_profile(&recent));
	for (int i = 0; i < 6; i++) {
		end += i < 3 ? 2 << i : 10;
		nodes[26].count += 1 << i;
		ends_at(end);
		assert_int_equal(samples(), 1 << i);
	}
}

TEST(shorter_than_the_first)
{
	assert_int_equal(recent_start(&recent, &windows, 0.1, 1000), 0);
	for (double end = 1002; end < 1010; end += 2)
		ends_at(end);
}

/* What is counted while its names are waited for is the next interval's. */
TEST(ends_at_its_mark)
{
	assert_int_equal(recent_start(&recent, &windows, 10, 1000), 0);
	nodes[26].count = 5;
	recent_run(&recent, 1002);
	assert_null(recent_profile(&recent));
	nodes[26].count += 7;
	recent_run(&recent, recent.due);
	assert_int_equal(samples(), 5);
	recent_run(&recent, recent.due);
	assert_int_equal(samples(), 5);
	recent_run(&recent, recent.due);
	assert_int_equal(samples(), 7);
}

/* It is there until it is given back, whatever comes meanwhile. Sanitizers see a use after that. */
TEST(one_that_is_read)
{
	struct interval *first;

	assert_int_equal(recent_start(&recent, &windows, 10, 1000), 0);
	nodes[26].count = 5;
	ends_at(1002);
	first = history_newest(&recent.history);
	interval_get(first);
	for (int i = 0; i < 3; i++) {
		const unsigned long before = recent.serial;

		nodes[26].count += 7;
		recent_run(&recent, recent.due);
		recent_run(&recent, recent.due);
		assert_int_equal(recent.serial, before + 1);
		assert_int_equal(history_newest(&recent.history)->serial, recent.serial);
		assert_int_equal(samples(), 7);
		assert_int_equal(profile_total(first->profile), 5);
	}
	assert_int_equal(recent.history.count, 4);
	recent_stop(&recent);
	assert_int_equal(profile_total(first->profile), 5);
	interval_put(first);
}

TEST(stops)
{
	assert_int_equal(recent_start(&recent, &windows, 10, 1000), 0);
	ends_at(1002);
	assert_non_null(recent_profile(&recent));
	recent_stop(&recent);
	assert_null(recent_profile(&recent));
	assert_null(recent.window);
	recent_stop(&recent); /* twice is once */
}

/* The profile before stays, and nothing is lost: the interval becomes longer. */
TEST(memory_runs_short)
{
	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	allocations_left = 0;
	assert_int_equal(recent_start(&recent, &windows, 10, 1000), -ENOMEM);
	allocations_left = -1;
	assert_null(recent.window);
	assert_int_equal(recent_start(&recent, &windows, 10, 1000), 0);
	nodes[26].count = 5;
	ends_at(1002);
	assert_int_equal(samples(), 5);
	nodes[26].count += 2;
	recent_run(&recent, recent.due);
	allocations_left = 0;
	recent_run(&recent, recent.due);
	allocations_left = -1;
	assert_int_equal(samples(), 5);
	nodes[26].count += 4;
	recent_run(&recent, recent.due);
	recent_run(&recent, recent.due);
	assert_int_equal(samples(), 6);
}

AROUND_EACH(setup_recent, teardown_recent);
