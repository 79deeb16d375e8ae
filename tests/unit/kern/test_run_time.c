// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_run_time.c - what the kernel counts of a program's runs: nothing of one that is not loaded, and of one
 * that runs at each switch of threads at least a nanosecond a run.
 */
#include "tests/forge/test.h"
#include "tests/unit/kern/open_kernel.h"

#include "kern/stats.h"
#include "pyperf.skel.h"

TEST(not_loaded)
{
	__u64 runs = 5, ns = 6;
	struct pyperf *s = pyperf__open();

	assert_non_null(s);
	kernel_add_run_time(s->progs.on_switch, &runs, &ns);
	assert_int_equal(runs, 5);
	assert_int_equal(ns, 6);
	pyperf__destroy(s);
}

TEST(of_a_program_that_runs)
{
	struct kernel_options o = selected;
	struct kernel_stats stats;

	o.needs = NEEDS_WAITS;
	o.statistics = true;
	kernel = open_kernel(o);
	start(kernel);
	for (int i = 0; i < 20; i++)
		usleep(1000);
	kernel_stats(kernel, &stats);
	if (!stats.wait_runs) {
		print_message("SKIP: the kernel's run-time statistics cannot be turned on\n");
		skip();
	}
	assert_in_range(stats.wait_runs, 20, ~0ULL >> 1);
	assert_in_range(stats.wait_time_ns, stats.wait_runs, ~0ULL >> 1);
}

AROUND_EACH(NULL, teardown);
