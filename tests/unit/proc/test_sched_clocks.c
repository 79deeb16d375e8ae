// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_sched_clocks.c - since when a thread has not run: the arithmetic, and a real sleep of a child.
 */
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "proc/sched_clocks.h"
#include "proc/thread.h"
#include "tests/forge/test.h"

TEST(text_of_the_kernel)
{
	assert_int_equal(sched_clocks_parse("cat (1, #threads: 1)\n---\nse.exec_start       :   12.000345\n"),
			 12000345);
	assert_int_equal(sched_clocks_parse("cat (1, #threads: 1)\nse.vruntime : 12.000345\n"), 0);
	assert_int_equal(sched_clocks_parse("\nse.exec_start"), 0);
	assert_int_equal(sched_clocks_parse("\nse.exec_start : never\n"), 0);
	assert_int_equal(sched_clocks_parse(""), 0);
}

TEST(each_cpu_has_a_clock_of_its_own)
{
	__s64 behind[] = { 1000, -500, 7 };
	unsigned char known[] = { 1, 1, 0 };
	const struct sched_clocks c = { 3, behind, known };

	assert_int_equal(sched_clocks_since(&c, 0, 4000, 6000), 1000);
	assert_int_equal(sched_clocks_since(&c, 1, 4000, 6000), 2500);
	assert_int_equal(sched_clocks_since(&c, 0, 5500, 6000), 0);
	assert_int_equal(sched_clocks_since(&c, 2, 4000, 6000), 0);
	assert_int_equal(sched_clocks_since(&c, 3, 4000, 6000), 0);
	assert_int_equal(sched_clocks_since(&c, -1, 4000, 6000), 0);
	assert_int_equal(sched_clocks_since(&c, 0, 0, 6000), 0);
}

TEST(it_comes_back_to_all_cpus)
{
	cpu_set_t before, after;
	struct sched_clocks c;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(sched_clocks_read(&c), 0);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
	sched_clocks_free(&c);
}

/* It has slept for at least as long as it was seen asleep, and for no longer than it lives. */
TEST(a_child_that_sleeps)
{
	const __u64 born = clock_ns();
	__u64 asleep = 0, since = 0;
	struct sched_clocks c;
	struct proc_thread t;
	pid_t child;

	child = fork();
	if (!child)
		for (;;)
			pause();
	assert_int_equal(sched_clocks_read(&c), 0);
	while (!asleep || clock_ns() < asleep + 50 * NS_PER_MS) {
		assert_int_equal(proc_thread_read(child, child, &t), 0);
		if (t.state == 'S' && !asleep)
			asleep = clock_ns();
	}
	if (t.last_ran && c.known[t.cpu])
		since = sched_clocks_since(&c, t.cpu, t.last_ran, clock_ns());
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	if (!t.last_ran)
		skip(); /* a kernel without CONFIG_SCHED_DEBUG */
	/* The CPU's clock may have stood still for a part of it, but not for nearly all. */
	assert_in_range(since, 1, clock_ns() - born);
	sched_clocks_free(&c);
}
