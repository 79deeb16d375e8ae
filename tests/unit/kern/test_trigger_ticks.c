// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_trigger_ticks.c - what the trigger that was chosen needs of the kernel side, its ticks and their
 * clock: started, stopped and started anew. Needs the right to load BPF.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "kern/kernel.h"
#include "kern/home.h"
#include "kern/tables.h"
#include "kern/timers.h"
#include "kern/trigger.h"
#include "base/clock.h"
#include "bpf/abi.h"
#include "pyperf.skel.h"
#include "tests/forge/refuse.h"
#include "tests/forge/test.h"

#define HZ 997

static struct trigger trigger;

/* --- loading -------------------------------------------------------------------------------------------- */

static struct pyperf *skel;
static struct side side;
static struct kernel_tables tables;
static const struct cpu_stats *stats;
static int cpus;

static int setup(void **state)
{
	(void)state;
	libbpf_set_print(NULL);
	cpus = libbpf_num_possible_cpus();
	trigger = (struct trigger){ 0 };
	tables = (struct kernel_tables){ 0 };
	stats = NULL;
	skel = pyperf__open();
	return skel && cpus > 0 ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	trigger_stop(&trigger);
	tables_unmap(&side, &tables, stats);
	pyperf__destroy(skel);
	skel = NULL;
	return 0;
}

TEST(only_what_it_needs_is_loaded)
{
	for (trigger.kind = TRIGGER_PERF; trigger.kind <= TRIGGER_TIMER; trigger.kind++) {
		const bool timer = trigger.kind == TRIGGER_TIMER;

		trigger.frequency = 99;
		trigger_prepare(&trigger, skel, 6);
		assert_int_equal(bpf_program__autoload(skel->progs.on_tick), !timer);
		assert_int_equal(bpf_program__autoload(skel->progs.start_timer), timer);
		assert_int_equal(bpf_program__autoload(skel->progs.stop_timer), timer);
		assert_int_equal(bpf_map__autocreate(skel->maps.timers), timer);
		assert_int_equal(bpf_map__max_entries(skel->maps.timers), 6);
		assert_int_equal(skel->bss->rates.period, 10101010);
	}
}

/* A kernel before 6.7 rejects programs with timers. When others are rejected, timers are not to blame. */
TEST(rejected_programs_may_be_its_doing)
{
	trigger.kind = TRIGGER_PERF;
	assert_null(trigger_rejected(&trigger));
	trigger.kind = trigger.wanted = TRIGGER_TIMER;
	assert_non_null(strstr(trigger_rejected(&trigger), "need Linux 6.7 or later"));
	assert_non_null(strstr(trigger_rejected(&trigger), "use --trigger perf"));
	trigger.wanted = TRIGGER_AUTO; /* perf events were refused */
	assert_non_null(strstr(trigger_rejected(&trigger), "perf_event_open is refused"));
}

/* --- ticks ---------------------------------------------------------------------------------------------- */

/* Loaded, with nobody selected: each tick is counted, and nothing else happens. */
static void load(enum trigger_kind kind)
{
	const struct kernel_options o = { .tree_size = 4096 };
	int err;

	trigger.wanted = kind;
	trigger.frequency = HZ;
	err = trigger_choose(&trigger);
	if (err) {
		print_message("SKIP: %s\n", trigger.reason);
		skip();
	}
	assert_int_equal(tables_size(skel, &o, cpus, &tables), 0);
	trigger_prepare(&trigger, skel, cpus);
	err = pyperf__load(skel);
	if (err == -EPERM || err == -EACCES) {
		print_message("SKIP: BPF programs may not be loaded: %s\n", strerror(-err));
		skip();
	}
	if (err && trigger_rejected(&trigger)) {
		print_message("SKIP: %s\n", trigger.reason);
		skip();
	}
	assert_int_equal(err, 0);
	side_of_object(skel, &side);
	assert_int_equal(tables_map(&side, &tables, &stats), 0);
}

static void start(void)
{
	int err = trigger_start(&trigger, skel);

	if (err == -EINVAL && trigger.kind == TRIGGER_TIMER) {
		print_message("SKIP: %s\n", trigger.reason);
		skip();
	}
	if (err)
		fail_msg("%s", trigger.reason);
	assert_int_equal(trigger.cpus, sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(trigger.on && trigger.running);
}

static __u64 ticks(void)
{
	__u64 sum = 0;

	for (int i = 0; i < cpus; i++)
		sum += __atomic_load_n(&stats[i].ticks, __ATOMIC_RELAXED);
	return sum;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* CPU time, not real time: others use this machine as well. */
static void burn(double seconds)
{
	const double end = cpu_seconds() + seconds;

	while (cpu_seconds() < end)
		;
}

static void ticks_until_it_is_stopped(enum trigger_kind kind)
{
	__u64 before = 0, at_stop, expected = 0;

	load(kind);
	assert_int_equal(trigger_expected(&trigger), 0);
	trigger_stop(&trigger); /* without a start: harmless */
	for (int round = 0; round < 3; round++) {
		start();
		burn(0.2);
		trigger_stop(&trigger);
		at_stop = ticks();
		assert_true(at_stop - before >= HZ / 20); /* a quarter, for a machine that takes time away */
		assert_false(trigger.on || trigger.running);
		before = at_stop;
		/* By the kernel's account of busy time, or by the clock: what was before goes on counting. */
		assert_true(trigger_expected(&trigger) >= expected + HZ / 20);
		expected = trigger_expected(&trigger);
		burn(0.05);
		assert_int_equal(ticks(), at_stop);
		assert_int_equal(trigger_expected(&trigger), expected);
	}
}

TEST(perf_ticks_until_it_is_stopped)
{
	ticks_until_it_is_stopped(TRIGGER_PERF);
}

TEST(timers_tick_until_it_is_stopped)
{
	ticks_until_it_is_stopped(TRIGGER_TIMER);
}

/* Those that were expected before go on counting as they were. */
static void another_frequency(enum trigger_kind kind)
{
	__u64 before, expected;

	load(kind);
	assert_int_equal(trigger_set_frequency(&trigger, skel, HZ / 2), 0); /* nothing ticks yet */
	assert_true(!trigger.on && trigger.frequency == HZ / 2);
	start();
	burn(0.2);
	expected = trigger_expected(&trigger);
	assert_int_equal(trigger_set_frequency(&trigger, skel, 2 * HZ), 0);
	assert_true(trigger.running && trigger.frequency == 2 * HZ);
	assert_int_equal(skel->bss->rates.period, 1000000000 / (2 * HZ));
	assert_true(trigger_expected(&trigger) >= expected);
	before = ticks();
	burn(0.2);
	trigger_stop(&trigger);
	assert_true(ticks() - before >= 2 * HZ / 10); /* half of those of this program alone */
	assert_true(trigger_expected(&trigger) >= expected + 2 * HZ / 10);
	assert_int_equal(trigger_set_frequency(&trigger, skel, 1000000), 0); /* more than is allowed */
	assert_true(trigger.frequency < 1000000);
}

TEST(perf_ticks_of_another_frequency)
{
	another_frequency(TRIGGER_PERF);
}

TEST(timers_of_another_frequency)
{
	another_frequency(TRIGGER_TIMER);
}

/* Exact once all CPUs have begun, but for a tick of each that may be on its way. */
TEST(timers_never_tick_too_often)
{
	load(TRIGGER_TIMER);
	for (int round = 0; round < 10; round++) {
		start();
		usleep(10000); /* ten periods; the first ticks come within two */
		trigger_stop(&trigger);
		assert_true(ticks() <= trigger_expected(&trigger) + (round + 1) * trigger.cpus);
	}
}

/*
 * The first ticks of timers come a period or two after the start: until then nothing is added, nor taken
 * away.
 */
TEST(expected_never_goes_back)
{
	__u64 last = 0;

	load(TRIGGER_TIMER);
	trigger.frequency = 1; /* the first ticks come after a second */
	trigger.before = 100;
	for (int round = 0; round < 3; round++) {
		start();
		assert_true(trigger_expected(&trigger) >= last);
		last = trigger_expected(&trigger);
		assert_true(last >= 100);
		trigger_stop(&trigger);
		assert_true(trigger.before >= 100);
	}
}

TEST(cycles_cannot_be_foretold)
{
	trigger = (struct trigger){
		.kind = TRIGGER_PERF, .frequency = HZ, .use_cycles = true, .before = 1000 * HZ,
	};
	assert_int_equal(trigger_expected(&trigger), 0);
	trigger.use_cycles = false;
	assert_int_equal(trigger_expected(&trigger), 1000 * HZ);
	/* Timers tick on each CPU, and a CPU that comes later changes nothing about the time before. */
	trigger.kind = TRIGGER_TIMER;
	trigger.cpus = 3;
	assert_int_equal(trigger_expected(&trigger), 1000 * HZ);
	trigger.running = true;
	trigger.begin = clock_seconds() - 10;
	assert_in_range(trigger_expected(&trigger), 1030 * HZ, 1060 * HZ);
}

/* --- CPUs that come and go; tests/guest has real ones, here the notes of the last start are bent ---- */

static void follows_cpus(enum trigger_kind kind)
{
	__u64 before, expected;

	load(kind);
	assert_int_equal(trigger_follow_cpus(&trigger, skel, false), 0); /* not begun */
	start();
	burn(0.1);
	assert_int_equal(trigger_follow_cpus(&trigger, skel, false), 0);
	trigger.online ^= 1;
	before = ticks();
	expected = trigger_expected(&trigger);
	assert_int_equal(trigger_follow_cpus(&trigger, skel, false), 1);
	assert_true(trigger.on && trigger.running);
	assert_true(trigger_expected(&trigger) >= expected);
	burn(0.2);
	assert_true(ticks() >= before + HZ / 20);
	assert_int_equal(trigger_follow_cpus(&trigger, skel, false), 0);
	assert_int_equal(trigger_follow_cpus(&trigger, skel, true), 1); /* a CPU has lost its ticks */
	assert_int_equal(trigger_follow_cpus(&trigger, skel, false), 0);
	trigger.suspended -= NS_PER_SECOND; /* the machine slept for a second */
	assert_int_equal(trigger_follow_cpus(&trigger, skel, false), 1);
	assert_int_equal(trigger_follow_cpus(&trigger, skel, false), 0);
	trigger_stop(&trigger);
	trigger.online ^= 1;
	assert_int_equal(trigger_follow_cpus(&trigger, skel, false), 0); /* what was stopped stays stopped */
	assert_false(trigger.on);
}

TEST(perf_follows_cpus)
{
	follows_cpus(TRIGGER_PERF);
}

TEST(timers_follow_cpus)
{
	follows_cpus(TRIGGER_TIMER);
}

/* It cannot start anew: it says so, and tries again at the next call. */
TEST(tries_again)
{
	int status;
	pid_t pid;

	load(TRIGGER_PERF);
	start();
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		int first, second;
		bool running;

		if (refuse_perf_events())
			_exit(9);
		trigger.online ^= 1;
		first = trigger_follow_cpus(&trigger, skel, false);
		running = trigger.running;
		second = trigger_follow_cpus(&trigger, skel, false);
		_exit(first != -EACCES || running || second != -EACCES || !trigger.on ||
		      !strstr(trigger.reason, "the perf events cannot be started"));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	/* As if that had been here. */
	trigger_stop(&trigger);
	trigger.on = true;
	assert_int_equal(trigger_follow_cpus(&trigger, skel, false), 1);
	assert_true(trigger.running);
}

AROUND_EACH(setup, teardown);
