// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_run_cost.c - what the profiler says that it used: its own time and its children's, not COMMAND's.
 */
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stats/run_stats.h"
#include "tests/forge/test.h"

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void burn(double seconds)
{
	double end = cpu_seconds() + seconds;

	while (cpu_seconds() < end)
		;
}

static double measured(double command_seconds)
{
	struct run_stats r = { .cpu_seconds = 1000 }; /* not what was there before */

	run_stats_measure_self(&r, command_seconds);
	assert_in_range(r.rss_bytes, 1 << 20, 1ULL << 40);
	return r.cpu_seconds;
}

TEST(own_cost)
{
	double before = measured(0), after;
	pid_t pid;

	burn(0.1);
	after = measured(0);
	assert_true(after - before > 0.08 && after - before < 1);
	/* A child counts once it has ended: the worker does, */
	before = measured(0);
	pid = fork();
	if (!pid) {
		burn(0.2);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	after = measured(0);
	assert_true(after - before > 0.15);
	assert_true(run_stats_cpu_so_far() - after >= 0 && run_stats_cpu_so_far() - after < 0.1);
	/* COMMAND does not. */
	assert_true(measured(0.2) - before < after - before - 0.15);
}
