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
	__u64 limit = clock_ms() + 30000;
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
	__u64 limit = clock_ms() + 30000;
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
