// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_dead_cpus.c - a CPU that works and does not tick, in texts as /proc/stat has them.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kern/dead_cpus.h"
#include "tests/forge/test.h"

#define CPUS 4
#define HZ   100

static struct cpu_stats stats[CPUS];
static struct dead_cpus *dead;

/* The CPUs have been busy for so many seconds since the machine started. */
static bool check(double first, double second, double last)
{
	long tick = sysconf(_SC_CLK_TCK);
	char text[512];

	/* CPU 2 is offline. The first line is the sum of all. */
	snprintf(text, sizeof(text),
		 "cpu  1 2 3 4 5 6 7 0 0 0\ncpu0 %ld %ld 0 900 1 2 3 0 0 0\ncpu1 0 0 %ld 900 1 2 3 0 0 0\n"
		 "cpu3 %ld 0 0 900 1 2 3 0 0 0\nintr 5 6 7\nctxt 8\n",
		 (long)(first / 2 * tick), (long)(first / 2 * tick), (long)(second * tick),
		 (long)(last * tick));
	return dead_cpus_check(dead, text, stats, HZ);
}

static void begin(void)
{
	dead_cpus_free(dead);
	dead = NULL;
	memset(stats, 0, sizeof(stats));
	assert_int_equal(dead_cpus_new(&dead, CPUS), 0);
	assert_false(check(1000, 1000, 1000)); /* what was before is nobody's fault */
}

TEST(all_tick)
{
	begin();
	for (int s = 1; s < 20; s++) {
		stats[0].ticks = stats[1].ticks = stats[3].ticks = s;
		assert_false(check(1000 + s, 1000 + s, 1000 + s));
	}
}

TEST(idle)
{
	begin();
	for (int s = 1; s < 20; s++)
		assert_false(check(1000, 1000.4, 1000 + s / 50.0));
}

TEST(one_has_stopped)
{
	for (int cpu = 0; cpu < CPUS; cpu++) {
		const double busy = 1000.6; /* 60 ticks should have come */

		if (cpu == 2)
			continue;
		begin();
		for (int i = 0; i < CPUS; i++)
			stats[i].ticks = i != cpu;
		assert_true(check(busy, busy, busy));
		dead_cpus_begin(dead);
		assert_false(check(busy, busy, busy));
		assert_true(check(busy + 1, busy + 1, busy + 1));
	}
}

/* A little at a time adds up. */
TEST(slowly)
{
	bool found = false;

	begin();
	for (int s = 1; s < 60 && !found; s++) {
		stats[0].ticks = stats[3].ticks = s;
		found = check(1000 + s, 1000 + s / 50.0, 1000 + s);
		assert_true(!found || s > 20);
	}
	assert_true(found);
}

TEST(strange_texts)
{
	static const char *const texts[] = {
		"", "cpu", "cpu\n", "cpu0", "cpu0 1 2", "cpu-1 9 9 9\n", "cpu99999999999 9 9 9\n", "intr 5\n",
		"cpu0 x y z\ncpu1 99999999 9 9\n",
	};

	begin();
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) - 1; i++)
		assert_false(dead_cpus_check(dead, texts[i], stats, HZ));
	assert_true(dead_cpus_check(dead, texts[8], stats, HZ));
	/* The clock goes back. */
	begin();
	assert_false(check(0, 0, 0));
	assert_false(check(0.1, 0.1, 0.1));
	dead_cpus_free(dead);
}
