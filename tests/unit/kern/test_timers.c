// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_timers.c - ticks by BPF timers: as many as there are to be and no more, started, stopped and gone; and
 * the choice between them and perf events, what it says when neither works. Needs the right to load BPF,
 * Linux 6.7.
 */
#include <dlfcn.h>
#include <sched.h>

#include <bpf/bpf.h>

#include "base/clock.h"
#include "tests/forge/refuse.h"
#include "tests/forge/test.h"
#include "tests/unit/kern/open_kernel.h"

/* How often the kernel is said to have no memory before it is asked. */
static int without_memory;

/* Instead of libbpf's, which it calls. */
int bpf_prog_test_run_opts(int fd, struct bpf_test_run_opts *opts)
{
	static int (*real)(int, struct bpf_test_run_opts *);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "bpf_prog_test_run_opts");
	if (!without_memory)
		return real(fd, opts);
	without_memory--;
	errno = ENOMEM;
	return -ENOMEM;
}

static struct kernel_options with(enum trigger_kind trigger)
{
	struct kernel_options o = everything;

	o.trigger = trigger;
	o.measure = true;
	return o;
}

/* Opened and started, or the test skipped on a kernel that has no such timers. */
static void start_timers(void)
{
	int cpus = -1, err;

	kernel = open_kernel(with(TRIGGER_TIMER));
	err = kernel_start(kernel, &cpus);
	if (err == -EINVAL && strstr(kernel_reason(kernel), "6.7")) {
		print_message("SKIP: %s\n", kernel_reason(kernel));
		skip();
	}
	if (err)
		fail_msg("%s", kernel_reason(kernel));
	assert_int_equal(cpus, sysconf(_SC_NPROCESSORS_ONLN));
}

TEST(as_many_as_asked_for)
{
	struct kernel_stats s;
	__u64 expected, most;
	double begin;

	begin = clock_seconds();
	start_timers();
	burn(1);
	kernel_stop(kernel);
	most = (clock_seconds() - begin) * everything.frequency * sysconf(_SC_NPROCESSORS_ONLN);
	kernel_stats(kernel, &s);
	expected = kernel_expected(kernel);
	assert_int_equal(kernel_trigger(kernel), TRIGGER_TIMER);
	assert_int_equal(outcome_sum(&s), s.sum.ticks);
	/* A second of CPU time is at least a second; the first tick comes after up to two periods. */
	assert_true(expected >= 197 * (__u64)sysconf(_SC_NPROCESSORS_ONLN) && expected <= most);
	/* Never one too many, however late they come. */
	assert_true(s.sum.ticks <= expected + sysconf(_SC_NPROCESSORS_ONLN));
	/* This CPU was busy for a second; one half, for a machine that takes time away. */
	assert_true(s.sum.ticks - s.sum.outcome[EVENT_CPU][OUTCOME_IDLE] >= 99);
	assert_true(s.runs == s.sum.ticks && s.run_time_ns > 0 && s.run_time_ns / s.runs <= s.sum.time_max);
}

/* An idle CPU ticks as well and is told apart: not a tick is unaccounted for. */
TEST(idle_ticks_are_told_apart)
{
	struct kernel_stats s;

	start_timers();
	for (int i = 0; i < 1000; i++) {
		usleep(20000);
		kernel_stats(kernel, &s);
		if (s.sum.outcome[EVENT_CPU][OUTCOME_IDLE])
			return;
	}
	print_message("SKIP: no CPU was idle for a moment in 20 s\n");
	skip();
}

TEST(stop_and_start_again)
{
	struct kernel_stats s, later;
	int cpus, fds = 0;

	start_timers();
	for (int round = 0; round < 3; round++) {
		if (round)
			assert_int_equal(kernel_start(kernel, &cpus), 0);
		burn(0.2);
		kernel_stop(kernel);
		kernel_stats(kernel, &s);
		burn(0.1);
		kernel_stats(kernel, &later);
		assert_int_equal(later.sum.ticks, s.sum.ticks);
		assert_true(s.sum.ticks >= 10U * (round + 1));
		if (round)
			assert_int_equal(count_fds(), fds);
		fds = count_fds();
	}
}

/* Each timer is started on its own CPU; we are back where we were allowed to be afterwards. */
TEST(affinity_is_restored)
{
	cpu_set_t before, one, after;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); cpu++)
		if (CPU_ISSET(cpu, &before))
			CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	start_timers();
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	sched_setaffinity(0, sizeof(before), &before);
	assert_true(CPU_EQUAL(&one, &after));
}

/* Closed without having been stopped. */
TEST(nothing_left)
{
	int fds;

	kernel_close(open_kernel(with(TRIGGER_TIMER)));
	fds = count_fds();
	start_timers();
	kernel_close(kernel);
	kernel = NULL;
	assert_int_equal(count_fds(), fds);
}

TEST(frequency_has_a_limit)
{
	struct kernel_options o = with(TRIGGER_TIMER);

	kernel_close(open_kernel(o)); /* skips */
	o.frequency = 50000;
	assert_int_equal(kernel_open(&kernel, &o), 0);
	assert_true(o.frequency <= 10000);
}

/* Linux 6.18 may have no memory for a timer for a moment. It is not waited for without end. */
TEST(a_moment_without_memory)
{
	int cpus;

	without_memory = 5;
	start_timers();
	assert_int_equal(without_memory, 0);
	kernel_stop(kernel);
	without_memory = 100000;
	assert_int_equal(kernel_start(kernel, &cpus), -ENOMEM);
	without_memory = 0;
	assert_int_equal(kernel_start(kernel, &cpus), 0);
}

/* --- the choice -------------------------------------------------------------------------------------- */

enum { CHILD_OK, CHILD_REFUSE_FAILED, CHILD_OTHER_TRIGGER, CHILD_OTHER_REASON };

struct choice {
	bool perf_refused, timers_refused;
	enum trigger_kind wanted, chosen; /* chosen: AUTO = none */
	const char *reason[3];
};

static int choose(const struct choice *c)
{
	struct kernel_options o = with(c->wanted);
	struct kernel *k = NULL;
	int cpus, err;

	if ((c->perf_refused && refuse_perf_events()) || (c->timers_refused && refuse_timers()))
		return CHILD_REFUSE_FAILED;
	err = kernel_open(&k, &o) ?: kernel_start(k, &cpus);
	if (!err)
		return o.trigger == c->chosen && kernel_trigger(k) == c->chosen ? CHILD_OK
										: CHILD_OTHER_TRIGGER;
	if (c->chosen != TRIGGER_AUTO)
		return CHILD_OTHER_TRIGGER;
	for (int i = 0; i < 3; i++)
		if (c->reason[i] && !strstr(kernel_reason(k), c->reason[i]))
			return CHILD_OTHER_REASON;
	return strchr(kernel_reason(k), '\n') ? CHILD_OTHER_REASON : CHILD_OK;
}

static void assert_choice(struct choice c)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(choose(&c));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, CHILD_OK << 8);
}

TEST(choices)
{
	const char *refused = "perf_event_open is refused";

	start_timers(); /* skips */
	assert_choice((struct choice){ .wanted = TRIGGER_AUTO, .chosen = TRIGGER_PERF });
	assert_choice((struct choice){ .wanted = TRIGGER_PERF, .chosen = TRIGGER_PERF });
	assert_choice((struct choice){ .wanted = TRIGGER_TIMER, .chosen = TRIGGER_TIMER });
	assert_choice(
		(struct choice){ .perf_refused = true, .wanted = TRIGGER_AUTO, .chosen = TRIGGER_TIMER });
	assert_choice(
		(struct choice){ .perf_refused = true, .wanted = TRIGGER_TIMER, .chosen = TRIGGER_TIMER });
	assert_choice(
		(struct choice){ .timers_refused = true, .wanted = TRIGGER_AUTO, .chosen = TRIGGER_PERF });
	assert_choice((struct choice){
		.perf_refused = true, .wanted = TRIGGER_PERF, .reason = { refused, "--trigger timer" } });
	assert_choice((struct choice){ .timers_refused = true,
				       .wanted = TRIGGER_TIMER,
				       .reason = { "Linux 6.7", "--trigger perf" } });
	assert_choice((struct choice){ .perf_refused = true, .timers_refused = true, .wanted = TRIGGER_AUTO,
				       .reason = { refused, "CAP_PERFMON is there", "6.7" } });
}

BY_ITSELF("it has a bpf_prog_test_run_opts() of its own");
AROUND_EACH(NULL, teardown);
