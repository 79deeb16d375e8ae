// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_descent.c - who descends from whom: forged families, and a real one in /proc.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/forge/child.h"
#include "tests/forge/fail_malloc.h"

#include "base/cleanup.h"
#include "proc/descent.h"
#include "tests/forge/test.h"

static bool is_below(const struct descent *d, pid_t named, pid_t pid)
{
	return descent_is_below(d, &named, 1, pid);
}

TEST(children_and_their_children)
{
	_cleanup_(descent_free) struct descent d = {};

	assert_int_equal(descent_set(&d, 7, 5), 0); /* a child before its parent */
	assert_int_equal(descent_set(&d, 5, 3), 0);
	assert_int_equal(descent_set(&d, 3, 1), 0);
	assert_int_equal(descent_set(&d, 4, 1), 0);
	assert_true(is_below(&d, 3, 5));
	assert_true(is_below(&d, 3, 7));
	assert_true(is_below(&d, 1, 7));
	assert_false(is_below(&d, 3, 3));
	assert_false(is_below(&d, 3, 4));
	assert_false(is_below(&d, 7, 5));
	assert_false(is_below(&d, 3, 99));
}

TEST(one_that_is_named_is_nobodys_descendant)
{
	_cleanup_(descent_free) struct descent d = {};
	const pid_t named[] = { 3, 5 };

	assert_int_equal(descent_set(&d, 5, 3), 0);
	assert_int_equal(descent_set(&d, 7, 5), 0);
	assert_false(descent_is_below(&d, named, 2, 5));
	assert_true(descent_is_below(&d, named, 2, 7));
	assert_false(descent_is_below(&d, NULL, 0, 7));
}

/* A number that was given anew while they were read. */
TEST(a_ring_has_an_end)
{
	_cleanup_(descent_free) struct descent d = {};

	assert_int_equal(descent_set(&d, 5, 7), 0);
	assert_int_equal(descent_set(&d, 7, 5), 0);
	assert_false(is_below(&d, 3, 7));
	assert_int_equal(descent_set(&d, 5, 3), 0); /* seen again, elsewhere */
	assert_true(is_below(&d, 3, 7));
}

TEST(real_parents)
{
	_cleanup_(descent_free) struct descent d = {};

	assert_int_equal(descent_add(&d, getpid()), 0);
	assert_true(is_below(&d, getppid(), getpid()));
	assert_int_equal(descent_add(&d, 1 << 30), 0); /* there is none */
	assert_false(is_below(&d, 1, 1 << 30));
}

struct seen {
	pid_t pids[2];
	size_t count;
	int answer;
};

static int see(void *context, pid_t pid)
{
	struct seen *s = context;

	if (s->count < 2)
		s->pids[s->count] = pid;
	s->count++;
	return s->answer;
}

static bool do_nothing(const void *arg)
{
	(void)arg;
	return true;
}

TEST(each_that_there_is)
{
	const pid_t own = getpid(), first = child_start(do_nothing, NULL);
	const pid_t second = child_start(do_nothing, NULL);
	struct seen all = { .answer = 0 }, stopped = { .answer = -EIO };

	assert_int_equal(descent_each_below(&own, 1, see, &all), 0);
	assert_int_equal(all.count, 2);
	assert_true((all.pids[0] == first && all.pids[1] == second) ||
		    (all.pids[0] == second && all.pids[1] == first));
	assert_int_equal(descent_each_below(&own, 1, see, &stopped), -EIO);
	assert_int_equal(stopped.count, 1);
	child_end(first);
	child_end(second);
}

TEST(memory_is_short)
{
	_cleanup_(descent_free) struct descent d = {};

	if (!fail_malloc_works())
		skip();
	allocations_left = 0;
	assert_int_equal(descent_set(&d, 5, 3), -ENOMEM);
	allocations_left = 1; /* the entry is there, and has no room in the table */
	assert_int_equal(descent_set(&d, 5, 3), -ENOMEM);
	allocations_left = -1;
	assert_false(is_below(&d, 3, 5));
}
