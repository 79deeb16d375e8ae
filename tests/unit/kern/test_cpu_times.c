// SPDX-License-Identifier: GPL-2.0-only
/* test_cpu_times.c - the CPUs of /proc/stat: of texts, and of this machine. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "kern/cpu_times.h"
#include "tests/forge/test.h"

TEST(texts)
{
	const double second = sysconf(_SC_CLK_TCK);
	const char *at = "cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 100 20 3 4000 50 6 7 8 99 99\n"
			 "cpu7 1 0 0 0 0 0 0 0 0 0\nintr 1 2 3\ncpu8 1 2 3 4 5 6 7 8 9 10\n";
	struct cpu_times t;

	assert_true(cpu_times_next(&at, &t));
	assert_int_equal(t.cpu, 0);
	assert_true(t.busy * second > 122.99 && t.busy * second < 123.01);
	assert_true(t.whole * second > 4193.99 && t.whole * second < 4194.01);
	assert_true(cpu_times_next(&at, &t));
	assert_int_equal(t.cpu, 7);
	assert_false(cpu_times_next(&at, &t));
	assert_false(cpu_times_next(&at, &t));
	assert_int_equal(t.cpu, 7);
}

TEST(lines_that_are_none)
{
	static const char *const wrong[] = {
		"", "\n", "cpu", "cpu\n", "cpu3", "cpu3 1 2", "cpu3 x y z\n", "cpufreq 1 2 3 4 5 6 7 8\n",
	};
	struct cpu_times t;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		const char *at = wrong[i];

		assert_false(cpu_times_next(&at, &t));
	}
}

TEST(this_machine)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/stat", "re");
	static char text[1 << 20];
	const char *at = text;
	struct cpu_times t;
	int count = 0;

	assert_true(f && fread(text, 1, sizeof(text) - 1, f));
	while (cpu_times_next(&at, &t)) {
		assert_true(t.busy >= 0 && t.busy < t.whole);
		count++;
	}
	assert_int_equal(count, sysconf(_SC_NPROCESSORS_ONLN));
}
