// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_retry.c - pauses between two looks at a process, also of a machine that slept, and how long a proof is
 * waited for.
 */
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "python/identify.h"
#include "targets/retry.h"
#include "targets/rulings.h"
#include "tests/forge/test.h"

#define MS     1000000ULL
#define SECOND (1000 * MS)

static __u64 begin;

/* The machine may have stood still since `begin`. */
static void after(__u64 when, __u64 pause)
{
	__u64 now = clock_ns();

	assert_true(when >= begin + pause);
	assert_true(when <= now + pause + (now - begin));
	begin = now;
}

TEST(pauses)
{
	struct ruling v = { 0 };

	begin = clock_ns();
	after(retry_no_python(&v, clock_boot_ns()), 20 * MS);
	after(retry_no_python(&v, clock_boot_ns() + SECOND), 20 * MS);
	v.looks = 0;
	for (__u64 pause = 20 * MS; pause < 4 * SECOND; pause *= 10)
		after(retry_no_python(&v, clock_boot_ns() - 4 * SECOND), pause);
	for (int i = 0; i < 100; i++)
		after(retry_no_python(&v, clock_boot_ns() - 4 * SECOND), 4 * SECOND);
	after(retry_no_python(&v, 0), begin < 30 * SECOND ? begin : 30 * SECOND);
	for (__u64 pause = 20 * MS; pause < 30 * SECOND; pause *= 2)
		after(retry_refused(&v), pause);
	for (int i = 0; i < 100; i++)
		after(retry_refused(&v), 30 * SECOND);
	v.unproved_since = begin;
	after(retry_unproved(&v), 2 * MS);
	v.unproved_since = begin - 4 * SECOND;
	after(retry_unproved(&v), SECOND);
}

#define SLEPT 28800 /* seconds */

/* In a time namespace where the machine has slept for eight hours. Returns an exit code. */
static int check_after_sleep(void)
{
	struct ruling v = { .looks = 4 };
	__u64 ages[] = { SECOND, 10 * SECOND, 600 * SECOND }, pauses[] = { SECOND, 10 * SECOND, 30 * SECOND };

	for (int i = 0; i < 3; i++) {
		__u64 before = clock_ns(), pause = retry_no_python(&v, clock_boot_ns() - ages[i]) - before;

		if (pause < pauses[i] || pause > pauses[i] + (clock_ns() - before) * 2)
			return 1;
	}
	return clock_boot_ns() - clock_ns() > (SLEPT - 1) * SECOND ? 0 : 2;
}

static int after_sleep(void)
{
	FILE *f;
	int status;
	pid_t pid;

	if (unshare(CLONE_NEWTIME))
		return 77;
	f = fopen("/proc/self/timens_offsets", "w");
	if (!f || fprintf(f, "boottime %d 0\n", SLEPT) < 0 || fclose(f))
		return 77;
	pid = fork(); /* the first process of the namespace */
	if (!pid)
		_exit(check_after_sleep());
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

/* What a process has lived includes the time that the machine slept, as its start time does. */
TEST(a_machine_that_slept)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(after_sleep());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("SKIP: no time namespace can be made here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

static bool waits(__u32 hexversion, const char *note, __u64 since)
{
	struct identity i = { .verdict = VERDICT_UNPROVED, .hexversion = hexversion,
			      .layout.runtime_interpreters = 8 };
	struct ruling v = { .unproved_since = since };

	snprintf(i.reason, sizeof(i.reason), "%s", note);
	return retry_waits_for_proof(&v, &i);
}

TEST(patience)
{
	struct identity i = { .verdict = VERDICT_PYTHON, .hexversion = 0x030d00f0 };
	__u64 long_ago = clock_ns() - 2 * SECOND;
	struct ruling v = { 0 }, old = { .unproved_since = long_ago };

	assert_false(retry_waits_for_proof(&v, &i));
	i.verdict = VERDICT_NO_LAYOUT;
	assert_false(retry_waits_for_proof(&v, &i));
	assert_int_equal(v.unproved_since, 0);
	i.verdict = VERDICT_UNPROVED;
	assert_true(retry_waits_for_proof(&v, &i));
	assert_true(v.unproved_since > long_ago);
	/* A second later a release that is known is used; one that is not, or looks unusual, never is. */
	assert_false(waits(0x030d00f0, "", long_ago));
	assert_false(waits(0x030b02f0, "", long_ago));
	assert_true(waits(0x030d00f0, "debug offsets: unusual interpreter_state.next", long_ago));
	assert_true(waits(0x030d00a1, "", long_ago));
	assert_true(waits(0x030dfff0, "", long_ago));
	assert_true(waits(0x03ff00f0, "", long_ago));
	assert_true(waits(0, "", long_ago));
	/* Nor is one of which no interpreter was found: its threads would be lost for good. */
	i.hexversion = 0x020712f0;
	assert_true(retry_waits_for_proof(&old, &i));
	i.layout.runtime_main = 8;
	assert_false(retry_waits_for_proof(&old, &i));
}
