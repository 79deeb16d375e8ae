// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_budget.c - what the programs are told of --budget.
 */

#include "bpf/abi.h"
#include "bpf/data/budget.h"
#include "kern/budget.h"
#include "pyperf.skel.h"
#include "tests/forge/test.h"

static struct pyperf *skel;

static int setup(void **state)
{
	(void)state;
	skel = pyperf__open();
	return skel ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	pyperf__destroy(skel);
	return 0;
}

TEST(parts_of_a_cpu)
{
	budget_prepare(skel, 0.01, 99);
	assert_true(skel->rodata->opt_budget);
	assert_int_equal(skel->bss->rates.budget, (1 << COST_SHIFT) / 100);
	/* The largest power of two that is no more than a second's allowance, which is 10 ms. */
	assert_int_equal(1 << skel->bss->rates.budget_free, 8388608);
	budget_prepare(skel, 1, 99);
	assert_int_equal(skel->bss->rates.budget, 1 << COST_SHIFT);
	/* The least that the command line takes: steps of thinning are parts of what is free. */
	budget_prepare(skel, 0.00001, 99);
	assert_in_range(skel->bss->rates.budget, 10, 11);
	assert_in_range(skel->bss->rates.budget_free, 10, 20);
	budget_prepare(skel, 0, 99);
	assert_false(skel->rodata->opt_budget);
}

/* However much they cost, 8 ticks a second and CPU are looked at. */
TEST(some_ticks_are_kept)
{
	budget_prepare(skel, 0.01, 1);
	assert_int_equal(skel->bss->rates.tick_levels, 0);
	budget_prepare(skel, 0.01, 99);
	assert_int_equal(skel->bss->rates.tick_levels, 3);
	budget_prepare(skel, 0.01, 1000000);
	assert_int_equal(skel->bss->rates.tick_levels, COST_LEVELS);
}

/* Of what they are told later they know nothing else. */
TEST(a_change)
{
	struct rates r = { .period = 77 };

	budget_change(&r, 0.01, 99);
	assert_int_equal(r.budget, (1 << COST_SHIFT) / 100);
	assert_int_equal(r.tick_levels, 3);
	budget_change(&r, 0.5, 999);
	assert_int_equal(r.budget, 1 << (COST_SHIFT - 1));
	assert_int_equal(r.tick_levels, 6);
	assert_int_equal(r.period, 77);
}

AROUND_ALL(setup, teardown);
