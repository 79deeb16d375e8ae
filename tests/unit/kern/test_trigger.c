// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_trigger.c - which trigger is chosen and what is said where none works, on kernels that refuse what a test has
 * them refuse; and its ticks and their clock, started, stopped and started anew. Needs the right to load BPF.
 */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "kern/tables.h"
#include "kern/timers.h"
#include "kern/trigger.h"
#include "pyperf.skel.h"
#include "tests/forge/refuse.h"

#define HZ 997

static struct trigger trigger;

/* --- the choice, each in a process of its own that the kernel refuses something for good ----------------- */

struct choice {
	enum trigger_kind wanted;
	bool use_cycles;
	int refused_with;    /* errno of perf_event_open; 0 = it is not refused */
	bool realtime;	     /* the kernel says that it is one */
	enum trigger_kind chosen; /* AUTO = none */
	int err;
	const char *reason, *no_reason; /* what the reason says, and does not; NULL = any */
};

enum { CHILD_OK, CHILD_NOT_SET_UP, CHILD_OTHER_RESULT, CHILD_OTHER_KIND, CHILD_OTHER_REASON };

/* A mount namespace with another /sys/kernel. */
static bool forge_realtime(void)
{
	FILE *f;

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/sys/kernel", "tmpfs", 0, NULL))
		return false;
	f = fopen("/sys/kernel/realtime", "we");
	return f && fputs("1\n", f) >= 0 && !fclose(f);
}

static int choose(const struct choice *c)
{
	struct trigger t = { .wanted = c->wanted, .frequency = HZ, .use_cycles = c->use_cycles };
	int err;

	if (c->realtime && !forge_realtime())
		return CHILD_NOT_SET_UP;
	if (c->refused_with && refuse(SYS_perf_event_open, REFUSE_ANY, c->refused_with))
		return CHILD_NOT_SET_UP;
	err = trigger_choose(&t);
	if (err != c->err) {
		fprintf(stderr, "%d: %s\n", err, t.reason);
		return CHILD_OTHER_RESULT;
	}
	if (!err)
		return t.kind == c->chosen && t.frequency == HZ ? CHILD_OK : CHILD_OTHER_KIND;
	if ((c->reason && !strstr(t.reason, c->reason)) || (c->no_reason && strstr(t.reason, c->no_reason)) ||
	    strchr(t.reason, '\n') || strlen(t.reason) > sizeof(t.reason) - 20) {
		fprintf(stderr, "%s\n", t.reason);
		return CHILD_OTHER_REASON;
	}
	return CHILD_OK;
}

static void choice_is(struct choice c)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(choose(&c));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, CHILD_OK << 8);
}

static void needs_perf_events(void)
{
	struct trigger t = { .wanted = TRIGGER_PERF, .frequency = HZ };

	if (!trigger_choose(&t))
		return;
	print_message("SKIP: %s\n", t.reason);
	skip();
}

static void perf_events_where_they_are_allowed(void **state)
{
	(void)state;
	needs_perf_events();
	choice_is((struct choice){ .wanted = TRIGGER_AUTO, .chosen = TRIGGER_PERF });
	choice_is((struct choice){ .wanted = TRIGGER_PERF, .chosen = TRIGGER_PERF });
	choice_is((struct choice){ .wanted = TRIGGER_PERF, .realtime = true, .chosen = TRIGGER_PERF });
	choice_is((struct choice){ .wanted = TRIGGER_TIMER, .chosen = TRIGGER_TIMER });
}

/* By a distribution's sysctl, by seccomp, or by a kernel without them. */
static void timers_in_their_place(void **state)
{
	(void)state;
	choice_is((struct choice){ .wanted = TRIGGER_AUTO, .refused_with = EACCES, .chosen = TRIGGER_TIMER });
	choice_is((struct choice){ .wanted = TRIGGER_AUTO, .refused_with = EPERM, .chosen = TRIGGER_TIMER });
	choice_is((struct choice){ .wanted = TRIGGER_AUTO, .refused_with = ENOSYS, .chosen = TRIGGER_TIMER });
	choice_is((struct choice){ .wanted = TRIGGER_TIMER, .refused_with = EACCES, .chosen = TRIGGER_TIMER });
}

static void says_what_to_do_where_they_are_refused(void **state)
{
	static const char sysctl[] = "set the sysctl kernel.perf_event_paranoid (it is ";

	(void)state;
	choice_is((struct choice){ .wanted = TRIGGER_PERF, .refused_with = EACCES, .err = -EACCES, .reason = sysctl });
	choice_is((struct choice){
		.wanted = TRIGGER_PERF, .refused_with = EACCES, .err = -EACCES, .reason = ", or use --trigger timer" });
	/* Timers do not count cycles. */
	choice_is((struct choice){ .wanted = TRIGGER_AUTO, .use_cycles = true, .refused_with = EPERM, .err = -EPERM,
				   .reason = sysctl, .no_reason = "timer" });
}

/* Other errors are no refusal, and timers are not tried in their stead. */
static void errors_that_are_no_refusal(void **state)
{
	(void)state;
	choice_is((struct choice){ .wanted = TRIGGER_AUTO, .refused_with = EMFILE, .err = -EMFILE,
				   .reason = "a perf event cannot be opened: Too many open files" });
	choice_is((struct choice){ .wanted = TRIGGER_AUTO, .use_cycles = true, .refused_with = ENOENT, .err = -ENOENT,
				   .reason = "no cycle counter: use --event cpu-clock" });
	choice_is((struct choice){ .wanted = TRIGGER_AUTO, .use_cycles = true, .refused_with = EOPNOTSUPP,
				   .err = -EOPNOTSUPP, .reason = "no cycle counter: use --event cpu-clock" });
}

/* There a timer runs in a thread of its own and sees nobody's stack. */
static void no_timers_on_a_realtime_kernel(void **state)
{
	(void)state;
	if (geteuid()) {
		print_message("SKIP: only root can show another /sys/kernel\n");
		skip();
	}
	choice_is((struct choice){ .wanted = TRIGGER_TIMER, .realtime = true, .err = -EOPNOTSUPP,
				   .reason = "not a real-time kernel: use --trigger perf" });
	choice_is((struct choice){ .wanted = TRIGGER_AUTO, .realtime = true, .refused_with = EACCES, .err = -EOPNOTSUPP,
				   .reason = "perf_event_open is refused", .no_reason = "use --trigger" });
}

static __u32 sysctl_limit(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
	__u32 limit = 0;

	return f && fscanf(f, "%u", &limit) == 1 ? limit : 0;
}

static void frequency_is_lowered_to_the_limit(void **state)
{
	struct trigger t = { .wanted = TRIGGER_TIMER, .frequency = 1000000000 };
	__u32 limit = sysctl_limit();

	(void)state;
	assert_int_equal(trigger_choose(&t), 0);
	assert_true(t.frequency <= TIMERS_FREQUENCY_MAX && t.frequency > 0);
	needs_perf_events();
	t = (struct trigger){ .wanted = TRIGGER_PERF, .frequency = 1000000000 };
	if (!limit) {
		print_message("SKIP: no sysctl kernel.perf_event_max_sample_rate\n");
		skip();
	}
	assert_int_equal(trigger_choose(&t), 0);
	assert_int_equal(t.frequency, limit);
}

/* --- loading -------------------------------------------------------------------------------------------- */

static struct pyperf *skel;
static struct kernel_tables tables;
static const struct cpu_stats *stats;
static int cpus;

static int quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

static int setup(void **state)
{
	(void)state;
	libbpf_set_print(quiet);
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
	tables_unmap(skel, &tables, stats);
	pyperf__destroy(skel);
	skel = NULL;
	return 0;
}

static void only_what_it_needs_is_loaded(void **state)
{
	(void)state;
	for (trigger.kind = TRIGGER_PERF; trigger.kind <= TRIGGER_TIMER; trigger.kind++) {
		const bool timer = trigger.kind == TRIGGER_TIMER;

		trigger.frequency = 99;
		trigger_prepare(&trigger, skel, 6);
		assert_int_equal(bpf_program__autoload(skel->progs.on_tick), !timer);
		assert_int_equal(bpf_program__autoload(skel->progs.start_timer), timer);
		assert_int_equal(bpf_program__autoload(skel->progs.stop_timer), timer);
		assert_int_equal(bpf_map__autocreate(skel->maps.timers), timer);
		assert_int_equal(bpf_map__max_entries(skel->maps.timers), 6);
		assert_int_equal(skel->rodata->opt_period, 10101010);
	}
}

/* A kernel before 6.7 rejects programs with timers. When others are rejected, timers are not to blame. */
static void rejected_programs_may_be_its_doing(void **state)
{
	(void)state;
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
	assert_int_equal(tables_map(skel, &tables, &stats), 0);
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

static void perf_ticks_until_it_is_stopped(void **state)
{
	(void)state;
	ticks_until_it_is_stopped(TRIGGER_PERF);
}

static void timers_tick_until_it_is_stopped(void **state)
{
	(void)state;
	ticks_until_it_is_stopped(TRIGGER_TIMER);
}

/* Exact once all CPUs have begun, but for a tick of each that may be on its way. */
static void timers_never_tick_too_often(void **state)
{
	(void)state;
	load(TRIGGER_TIMER);
	for (int round = 0; round < 10; round++) {
		start();
		usleep(10000); /* ten periods; the first ticks come within two */
		trigger_stop(&trigger);
		assert_true(ticks() <= trigger_expected(&trigger) + (round + 1) * trigger.cpus);
	}
}

/* The first ticks of timers come a period or two after the start: until then nothing is added, nor taken away. */
static void expected_never_goes_back(void **state)
{
	__u64 last = 0;

	(void)state;
	load(TRIGGER_TIMER);
	trigger.frequency = 1; /* the first ticks come after a second */
	trigger.before = 100;
	for (int round = 0; round < 3; round++) {
		start();
		assert_true(trigger_expected(&trigger) >= last);
		last = trigger_expected(&trigger);
		assert_true(last >= 100ULL * trigger.cpus);
		trigger_stop(&trigger);
		assert_true(trigger.before >= 100);
	}
}

static void cycles_cannot_be_foretold(void **state)
{
	(void)state;
	trigger = (struct trigger){ .kind = TRIGGER_PERF, .frequency = HZ, .use_cycles = true, .before = 1000 };
	assert_int_equal(trigger_expected(&trigger), 0);
	trigger.use_cycles = false;
	assert_int_equal(trigger_expected(&trigger), 1000 * HZ);
	trigger.kind = TRIGGER_TIMER; /* on each CPU */
	trigger.cpus = 3;
	assert_int_equal(trigger_expected(&trigger), 3 * 1000 * HZ);
}

/* --- CPUs that come and go; tests/guest has real ones, here the notes of the last start are bent ------------ */

static void follows_cpus(enum trigger_kind kind)
{
	__u64 before, expected;

	load(kind);
	assert_int_equal(trigger_follow_cpus(&trigger, skel), 0); /* not begun */
	start();
	burn(0.1);
	assert_int_equal(trigger_follow_cpus(&trigger, skel), 0);
	trigger.online ^= 1;
	before = ticks();
	expected = trigger_expected(&trigger);
	assert_int_equal(trigger_follow_cpus(&trigger, skel), 1);
	assert_true(trigger.on && trigger.running);
	assert_true(trigger_expected(&trigger) >= expected);
	burn(0.2);
	assert_true(ticks() >= before + HZ / 20);
	assert_int_equal(trigger_follow_cpus(&trigger, skel), 0);
	trigger_stop(&trigger);
	trigger.online ^= 1;
	assert_int_equal(trigger_follow_cpus(&trigger, skel), 0); /* what was stopped stays stopped */
	assert_false(trigger.on);
}

static void perf_follows_cpus(void **state)
{
	(void)state;
	follows_cpus(TRIGGER_PERF);
}

static void timers_follow_cpus(void **state)
{
	(void)state;
	follows_cpus(TRIGGER_TIMER);
}

/* It cannot start anew: it says so, and tries again at the next call. */
static void tries_again(void **state)
{
	int status;
	pid_t pid;

	(void)state;
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
		first = trigger_follow_cpus(&trigger, skel);
		running = trigger.running;
		second = trigger_follow_cpus(&trigger, skel);
		_exit(first != -EACCES || running || second != -EACCES || !trigger.on ||
		      !strstr(trigger.reason, "the perf events cannot be started"));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	/* As if that had been here. */
	trigger_stop(&trigger);
	trigger.on = true;
	assert_int_equal(trigger_follow_cpus(&trigger, skel), 1);
	assert_true(trigger.running);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_events_where_they_are_allowed),
		cmocka_unit_test(timers_in_their_place),
		cmocka_unit_test(says_what_to_do_where_they_are_refused),
		cmocka_unit_test(errors_that_are_no_refusal),
		cmocka_unit_test(no_timers_on_a_realtime_kernel),
		cmocka_unit_test(frequency_is_lowered_to_the_limit),
		TEST(only_what_it_needs_is_loaded),
		TEST(rejected_programs_may_be_its_doing),
		TEST(perf_ticks_until_it_is_stopped),
		TEST(timers_tick_until_it_is_stopped),
		TEST(timers_never_tick_too_often),
		TEST(expected_never_goes_back),
		TEST(cycles_cannot_be_foretold),
		TEST(perf_follows_cpus),
		TEST(timers_follow_cpus),
		TEST(tries_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
