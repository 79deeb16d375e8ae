// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rate.c - when it is said that the kernel ran the sampler too seldom. The kernel and its ticks are
 * real; how many of them are new since the last look is what a test sets. Needs the right to load BPF.
 */
#include "tests/forge/test.h"
#include "tests/unit/kern/open_kernel.h"
#include "tests/forge/logged.h"

#include "stats/rate.h"

#define FREQUENCY 4999

static struct kernel_stats stats;
static __u64 expected;
static struct rate rate;

/* Some thousand ticks were expected, and the ticks have stopped. */
static void run_for_a_while(void)
{
	struct kernel_options o = selected;

	o.frequency = FREQUENCY;
	kernel = open_kernel(o);
	start(kernel);
	while (kernel_expected(kernel) < 4000)
		burn(0.05);
	kernel_stop(kernel);
	kernel_stats(kernel, &stats);
	expected = kernel_expected(kernel);
}

/* What is said when so many ticks came since the last look, of so many. */
static const char *check(__u64 ticks, __u64 of, __u32 frequency, bool at_end)
{
	rate.ticks = stats.sum.ticks - ticks;
	rate.expected = expected - of;
	return LOGGED(rate_check(&rate, kernel, frequency, at_end));
}

static int setup(void **state)
{
	(void)state;
	rate = (struct rate){ 0 };
	return 0;
}

TEST(nothing_to_say_when_most_came)
{
	run_for_a_while();
	assert_string_equal(check(2000, 2000, FREQUENCY, false), "");
	assert_string_equal(check(1600, 2000, FREQUENCY, false), "");
	assert_string_equal(check(500, 500, FREQUENCY, true), "");
	assert_string_equal(check(3000, 2000, FREQUENCY, false), "");
	/* It goes on from there. */
	assert_true(rate.ticks == stats.sum.ticks);
	assert_true(rate.expected == expected);
}

TEST(says_it_once)
{
	const char *said;

	run_for_a_while();
	said = check(1599, 2000, FREQUENCY, false);
	assert_non_null(strstr(
		said,
		"ran the sampler 1599 times of 2000: interrupts, a hypervisor or a CPU that went offline"));
	assert_null(strstr(said, "sysctl"));
	assert_string_equal(check(0, 2000, FREQUENCY, false), "");
	assert_string_equal(check(0, 2000, FREQUENCY, true), "");
	/* ... until it is over; then a new loss is said again. */
	assert_non_null(strstr(check(2000, 2000, FREQUENCY, false), "as often as it should again"));
	assert_string_equal(check(2000, 2000, FREQUENCY, false), "");
	assert_non_null(strstr(check(0, 2000, FREQUENCY, false), "ran the sampler 0 times of 2000"));
}

/* A frequency above any that the sysctl could have. */
TEST(names_the_sysctl_when_that_is_lower)
{
	const char *said;

	if (access("/proc/sys/kernel/perf_event_max_sample_rate", R_OK)) {
		print_message("SKIP: no sysctl kernel.perf_event_max_sample_rate\n");
		skip();
	}
	run_for_a_while();
	said = check(100, 3000, 4000000000U, false);
	assert_non_null(strstr(
		said, "100 times of 3000: it lowered the sysctl kernel.perf_event_max_sample_rate to "));
	assert_non_null(strstr(said, "ask for less with --frequency"));
}

/* Few ticks say nothing: the kernel's own account of busy time is not exact. The end has to do with fewer. */
TEST(too_few_to_judge_by)
{
	run_for_a_while();
	assert_string_equal(check(0, 1999, FREQUENCY, false), "");
	assert_true(rate.expected == expected - 1999); /* the next look counts them too */
	assert_string_equal(check(0, 499, FREQUENCY, true), "");
	assert_string_not_equal(check(0, 500, FREQUENCY, true), "");
}

AROUND_EACH(setup, teardown);
