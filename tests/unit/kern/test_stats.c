// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_stats.c - what the sampler counts on the running kernel: the books of its ticks balance, whoever is
 * profiled. Needs the right to load BPF.
 */
#include "tests/forge/test.h"
#include "tests/unit/kern/open_kernel.h"

TEST(books_of_everything)
{
	struct kernel_options o = everything;
	struct kernel_stats s;

	o.measure = o.statistics = true;
	kernel = open_kernel(o);
	start(kernel);
	burn(1);
	kernel_stop(kernel);
	kernel_stats(kernel, &s);
	/* 199 a second, at least of this CPU; one half, for a machine that takes time away. */
	assert_true(s.sum.ticks >= 99);
	assert_int_equal(outcome_sum(&s), s.sum.ticks);
	/* Nobody was asked about, so nothing is Python. Our own ticks are never analysed. */
	assert_int_equal(s.sum.outcome[EVENT_CPU][OUTCOME_NOT_PYTHON] +
				 s.sum.outcome[EVENT_CPU][OUTCOME_NEW_PROCESS] +
				 s.sum.outcome[EVENT_CPU][OUTCOME_NESTED],
			 s.sum.ticks);
	assert_true(s.sum.outcome[EVENT_CPU][OUTCOME_NOT_PYTHON] >= 99);
	assert_true(s.sum.frames == 0 && s.sum.reads == 0 && s.sum.nodes_new == 0);
	assert_true(s.runs >= s.sum.ticks && s.run_time_ns > 0);
}

TEST(books_of_nobody)
{
	struct kernel_stats s;

	kernel = open_kernel(selected);
	start(kernel);
	burn(0.5);
	kernel_stop(kernel);
	kernel_stats(kernel, &s);
	assert_true(s.sum.ticks >= 49);
	assert_int_equal(s.sum.outcome[EVENT_CPU][OUTCOME_NOT_SELECTED] +
				 s.sum.outcome[EVENT_CPU][OUTCOME_NESTED],
			 s.sum.ticks);
	assert_int_equal(s.sum.notices, 0);
}

AROUND_EACH(NULL, teardown);
