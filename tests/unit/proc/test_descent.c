// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_descent.c - who descends from whom: forged families, and a real one in /proc.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/forge/child.h"
#include "tests/forge/fail_malloc.h"

#include "base/cleanup.h"
#include "proc/descent.h"

static bool is_below(const struct descent *d, pid_t named, pid_t pid)
{
	return descent_is_below(d, &named, 1, pid);
}

static void children_and_their_children(void **state)
{
	_cleanup_(descent_free) struct descent d = {};

	(void)state;
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

static void one_that_is_named_is_nobodys_descendant(void **state)
{
	_cleanup_(descent_free) struct descent d = {};
	const pid_t named[] = { 3, 5 };

	(void)state;
	assert_int_equal(descent_set(&d, 5, 3), 0);
	assert_int_equal(descent_set(&d, 7, 5), 0);
	assert_false(descent_is_below(&d, named, 2, 5));
	assert_true(descent_is_below(&d, named, 2, 7));
	assert_false(descent_is_below(&d, NULL, 0, 7));
}

/* A number that was given anew while they were read. */
static void a_ring_has_an_end(void **state)
{
	_cleanup_(descent_free) struct descent d = {};

	(void)state;
	assert_int_equal(descent_set(&d, 5, 7), 0);
	assert_int_equal(descent_set(&d, 7, 5), 0);
	assert_false(is_below(&d, 3, 7));
	assert_int_equal(descent_set(&d, 5, 3), 0); /* seen again, elsewhere */
	assert_true(is_below(&d, 3, 7));
}

static void real_parents(void **state)
{
	_cleanup_(descent_free) struct descent d = {};

	(void)state;
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

static void each_that_there_is(void **state)
{
	const pid_t own = getpid(), first = child_start(do_nothing, NULL);
	const pid_t second = child_start(do_nothing, NULL);
	struct seen all = { .answer = 0 }, stopped = { .answer = -EIO };

	(void)state;
	assert_int_equal(descent_each_below(&own, 1, see, &all), 0);
	assert_int_equal(all.count, 2);
	assert_true((all.pids[0] == first && all.pids[1] == second) ||
		    (all.pids[0] == second && all.pids[1] == first));
	assert_int_equal(descent_each_below(&own, 1, see, &stopped), -EIO);
	assert_int_equal(stopped.count, 1);
	child_end(first);
	child_end(second);
}

static void memory_is_short(void **state)
{
	_cleanup_(descent_free) struct descent d = {};

	(void)state;
	if (!fail_malloc_works())
		skip();
	allocations_left = 0;
	assert_int_equal(descent_set(&d, 5, 3), -ENOMEM);
	allocations_left = 1; /* the entry is there, and has no room in the table */
	assert_int_equal(descent_set(&d, 5, 3), -ENOMEM);
	allocations_left = -1;
	assert_false(is_below(&d, 3, 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(children_and_their_children),
		cmocka_unit_test(one_that_is_named_is_nobodys_descendant),
		cmocka_unit_test(a_ring_has_an_end),
		cmocka_unit_test(real_parents),
		cmocka_unit_test(each_that_there_is),
		cmocka_unit_test(memory_is_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
