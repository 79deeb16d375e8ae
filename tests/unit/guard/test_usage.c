// SPDX-License-Identifier: GPL-2.0-only
/* test_usage.c - the CPU time of another process, and for how long it has waited for a CPU. */
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "guard/usage.h"
#include "tests/forge/test.h"

static pid_t spinning(void)
{
	cpu_set_t one;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		CPU_ZERO(&one);
		CPU_SET(sched_getcpu(), &one);
		sched_setaffinity(0, sizeof(one), &one);
		for (;;)
			;
	}
	return pid;
}

static void reap(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

TEST(cpu_time)
{
	__u64 limit = clock_ms() + 120000;
	pid_t pid = spinning();

	while (usage_seconds(pid) < 0.1)
		assert_true(clock_ms() < limit);
	kill(pid, SIGSTOP);
	waitpid(pid, NULL, WUNTRACED);
	double stopped = usage_seconds(pid);

	usleep(50000);
	assert_true(usage_seconds(pid) == stopped && stopped < 30);
	reap(pid);
	assert_true(usage_seconds(pid) == 0 && usage_seconds(0) == 0);
}

/* Two that want one CPU wait for each other; one that sleeps does not wait. */
TEST(waiting)
{
	__u64 limit = clock_ms() + 120000;
	cpu_set_t all, one;
	pid_t a, b;

	assert_int_equal(usage_waited_ms(0), 0);
	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	a = spinning();
	b = spinning();
	sched_setaffinity(0, sizeof(all), &all);
	if (access("/proc/self/schedstat", R_OK)) {
		print_message("SKIP: this kernel has no CONFIG_SCHED_INFO\n");
		reap(a);
		reap(b);
		skip();
	}
	while (usage_waited_ms(a) < 50 || usage_waited_ms(b) < 50)
		assert_true(clock_ms() < limit);
	kill(b, SIGSTOP);
	waitpid(b, NULL, WUNTRACED);
	__u64 stopped = usage_waited_ms(b);

	usleep(50000);
	assert_int_equal(usage_waited_ms(b), stopped);
	reap(a);
	reap(b);
	assert_int_equal(usage_waited_ms(a), 0);
}

TEST(ready)
{
	pid_t pid = spinning();

	assert_true(usage_is_ready(pid));
	kill(pid, SIGSTOP);
	waitpid(pid, NULL, WUNTRACED);
	assert_false(usage_is_ready(pid));
	reap(pid);
	assert_false(usage_is_ready(pid) || usage_is_ready(0));
}

/* Of 100 ms, after others. */
static bool waits_mostly(__u64 waited_ms, double used_ms, bool is_ready)
{
	const struct usage before = { .at_ms = 1000, .waited_ms = 300, .seconds = 2 };
	const struct usage now = { 1100, 300 + waited_ms, 2 + used_ms / 1000, is_ready };

	return usage_mostly_waits(&before, &now);
}

TEST(mostly_waits)
{
	assert_true(waits_mostly(50, 10, false));
	assert_true(waits_mostly(80, 10, true));
	assert_false(waits_mostly(49, 10, false)); /* the rest of the time it slept */
	assert_false(waits_mostly(0, 0, false));
	assert_false(waits_mostly(0, 90, true)); /* it has had a CPU */
	/* A wait that has not ended is in no sum yet. */
	assert_true(waits_mostly(0, 0, true));
	assert_true(waits_mostly(40, 20, true));
}
