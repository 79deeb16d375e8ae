// SPDX-License-Identifier: GPL-2.0-only
/* test_cpu_ticks.c - which CPU misses how many ticks, by texts as /proc/stat has them. */
#include <stdio.h>
#include <unistd.h>

#include "kern/cpu_ticks.h"
#include "tests/forge/test.h"

#define CPUS 3

static struct cpu_stats stats[CPUS];
static struct cpu_ticks *ticks;
static __u32 rate;

static int setup(void **state)
{
	(void)state;
	rate = 1;
	return cpu_ticks_new(&ticks, CPUS);
}

static int teardown(void **state)
{
	(void)state;
	cpu_ticks_free(ticks);
	return 0;
}

/* CPU 1 is offline, and there is one too many. All are idle for four times as long as CPU 0 works. */
static void look(int first, int last, bool idle)
{
	const long second = sysconf(_SC_CLK_TCK);
	char text[512];

	snprintf(text, sizeof(text),
		 "cpu  1 2 3 4 5 6 7 0 0 0\ncpu0 0 %ld 0 %ld 0 0 0 0 0 0\ncpu2 0 0 %ld %ld 0 0 0 0 0 0\n"
		 "cpu3 1 2 3 4 5 6 7 8 9 10\nintr 5 6 7\n",
		 first * second, 4 * first * second, last * second, 4 * first * second);
	cpu_ticks_look(ticks, text, stats, idle, rate);
}

static void has(int cpu, __u64 came, double expected)
{
	double is = -1;
	__u64 n = ~0ULL;

	assert_true(cpu_ticks_get(ticks, cpu, &n, &is));
	assert_int_equal(n, came);
	assert_true(is > expected - 0.001 && is < expected + 0.001);
}

TEST(busy_time)
{
	__u64 came;
	double seconds;

	assert_int_equal(cpu_ticks_count(ticks), CPUS);
	assert_false(cpu_ticks_get(ticks, 0, &came, &seconds)); /* there was no look yet */
	look(100, 200, false);
	has(0, 0, 0); /* what was before is nobody's */
	stats[0].ticks = 99;
	stats[2].ticks = 7;
	look(101, 202, false);
	look(102, 203, false);
	has(0, 99, 2);
	has(2, 7, 3);
	for (int cpu = -1; cpu <= CPUS; cpu++)
		assert_int_equal(cpu_ticks_get(ticks, cpu, &came, &seconds), cpu == 0 || cpu == 2);
}

/* Timers tick on idle CPUs as well. */
TEST(whole_time)
{
	look(100, 200, true);
	look(110, 200, true);
	has(0, 99, 50);
	has(2, 7, 40);
}

/* Each second has the rate that there was in it. */
TEST(another_rate)
{
	rate = 10;
	look(100, 200, false);
	look(101, 202, false);
	rate = 100;
	look(103, 203, false);
	has(0, 99, 210);
	has(2, 7, 120);
}

TEST(not_while_they_stand_still)
{
	look(100, 200, false);
	look(101, 201, false);
	cpu_ticks_begin(ticks);
	has(0, 99, 1);
	look(500, 600, false);
	has(0, 99, 1);
	look(501, 600, false);
	has(0, 99, 2);
	look(400, 601, false); /* a clock that goes back */
	has(0, 99, 2);
	has(2, 7, 2);
}

AROUND_EACH(setup, teardown);
