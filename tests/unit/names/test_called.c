// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_called.c - what threads are called: a name stays, one look without a name is not the last, the oldest
 * of many makes room, those of processes that are no more go; and which of several names is shown.
 */
#include <errno.h>
#include <string.h>

#include "names/called.h"
#include "tests/forge/test.h"

static struct called *called;

static int setup(void **state)
{
	(void)state;
	return called_new(&called);
}

static int teardown(void **state)
{
	(void)state;
	called_free(called);
	called_free(NULL);
	return 0;
}

TEST(a_name_stays)
{
	assert_null(called_find(called, 5, 7));
	assert_int_equal(called_add(called, 5, 7, "worker"), 0);
	assert_int_equal(called_add(called, 5, 7, "other"), 0);
	assert_int_equal(called_miss(called, 5, 7), 0);
	assert_string_equal(called_find(called, 5, 7), "worker");
	assert_null(called_find(called, 6, 7));
}

TEST(a_thread_may_get_its_name_after_a_look)
{
	for (int i = 0; i < CALLED_LOOKS; i++) {
		assert_null(called_find(called, 5, 7));
		assert_int_equal(called_miss(called, 5, 7), 0);
	}
	assert_string_equal(called_find(called, 5, 7), "");
	assert_int_equal(called_miss(called, 5, 8), 0);
	assert_int_equal(called_add(called, 5, 8, "late"), 0);
	assert_string_equal(called_find(called, 5, 8), "late");
}

static bool is_six(const void *context, __u32 process)
{
	(void)context;
	return process == 6;
}

TEST(processes_that_are_no_more)
{
	assert_int_equal(called_add(called, 5, 7, "a"), 0);
	assert_int_equal(called_add(called, 6, 7, "b"), 0);
	called_sweep(called, is_six, NULL);
	assert_null(called_find(called, 5, 7));
	assert_string_equal(called_find(called, 6, 7), "b");
}

TEST(the_oldest_makes_room)
{
	for (__u32 tid = 1; tid <= CALLED_THREADS_MAX; tid++)
		assert_int_equal(called_add(called, 5, tid, "x"), 0);
	assert_int_equal(called_add(called, 5, 1, "y"), 0);
	assert_string_equal(called_find(called, 5, 1), "x");
	assert_int_equal(called_add(called, 6, 7, "other"), 0);
	assert_string_equal(called_find(called, 6, 7), "other");
	assert_null(called_find(called, 5, 1));
	assert_string_equal(called_find(called, 5, 2), "x");
	assert_string_equal(called_find(called, 5, CALLED_THREADS_MAX), "x");
}

TEST(which_is_shown)
{
	assert_int_equal(called_add(called, 5, 70, "main"), 0);
	assert_int_equal(called_add(called, 5, 71, "worker"), 0);
	for (int i = 0; i < CALLED_LOOKS; i++)
		assert_int_equal(called_miss(called, 5, 72), 0);
	assert_string_equal(called_shown(called, 5, 71, false, "python3", "python3"), "worker");
	/* What the kernel was told goes first. */
	assert_string_equal(called_shown(called, 5, 71, false, "grpc", "python3"), "grpc");
	/* The main thread's is the process's. */
	assert_string_equal(called_shown(called, 5, 70, true, "python3", "python3"), "python3");
	assert_string_equal(called_shown(called, 5, 72, false, "python3", "python3"), "python3");
	assert_string_equal(called_shown(called, 5, 73, false, "python3", "python3"), "python3");
	assert_string_equal(called_shown(NULL, 5, 71, false, "python3", "python3"), "python3");
}

AROUND_EACH(setup, teardown);
