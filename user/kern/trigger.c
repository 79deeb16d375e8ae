// SPDX-License-Identifier: GPL-2.0-only
#include "kern/trigger.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/lacking.h"
#include "base/privileges.h"
#include "kern/ticks.h"
#include "kern/timers.h"
#include "bpf/abi.h"
#include "pyperf.skel.h"

#define NEEDS_67 "timers that stay on their CPU need Linux 6.7 or later, not a real-time kernel"

static int fail(struct trigger *t, int err, const char *format, ...) __attribute__((format(printf, 3, 4)));

static int fail(struct trigger *t, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(t->reason, sizeof(t->reason), format, args);
	va_end(args);
	return err;
}

static bool is_refusal(int err)
{
	return err == -EACCES || err == -EPERM || err == -ENOSYS;
}

static int paranoid_level(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = 0;

	return f && fscanf(f, "%d", &level) == 1 ? level : 0;
}

/*
 * What is missing: the right to it, which timers would lack as well. Or else it is forbidden to all, by
 * seccomp as in older profiles of Docker, and timers are the way out.
 */
static int fail_refused(struct trigger *t, int err, const char *instead)
{
	const int level = paranoid_level();
	char advice[LACKING_SIZE];

	if (lacking_of(PRIVILEGE(CAP_PERFMON)))
		return fail(t, err, "perf_event_open is refused: %s",
			    lacking_advice(PRIVILEGE(CAP_PERFMON), advice));
	/* At 3 and more, which is the default of Debian's kernels, CAP_PERFMON does not suffice. */
	if (level > 2 && lacking_of(PRIVILEGE(CAP_SYS_ADMIN)))
		return fail(t, err,
			    "perf_event_open is refused: set the sysctl kernel.perf_event_paranoid (it is "
			    "%d) to 2 or less (otherwise %s)%s",
			    level, lacking_advice(PRIVILEGE(CAP_SYS_ADMIN), advice), instead);
	return fail(t, err, "perf_event_open is refused: %s%s",
		    err == -ENOSYS ? "the kernel has no perf events, or seccomp hides them" :
				     lacking_advice(PRIVILEGE(CAP_PERFMON), advice),
		    instead);
}

static int fail_no_timers(struct trigger *t, int err)
{
	if (t->wanted == TRIGGER_AUTO)
		return fail_refused(t, err,
				    "; the timers in its place need Linux 6.7, not a real-time kernel");
	return fail(t, err, "%s: use --trigger perf", NEEDS_67);
}

static int fail_start(struct trigger *t, int err)
{
	char instead[96];

	if (t->kind == TRIGGER_PERF)
		return fail(t, err, "the perf events cannot be started: %s", strerror(-err));
	if (t->wanted == TRIGGER_TIMER)
		return fail(t, err, "the timers cannot be started: %s", strerror(-err));
	snprintf(instead, sizeof(instead), "; the timers in its place cannot be started: %s", strerror(-err));
	return fail_refused(t, err, instead);
}

/*
 * On PREEMPT_RT such a timer runs in a thread of its own, and does not see the program that it interrupted.
 */
bool trigger_is_realtime_kernel(void)
{
	_cleanup_fclose_ FILE *f = fopen("/sys/kernel/realtime", "re");
	int is = 0;

	return f && fscanf(f, "%d", &is) == 1 && is;
}

const char *trigger_name(enum trigger_kind kind)
{
	static const char *const names[] = {
		[TRIGGER_AUTO] = "auto",
		[TRIGGER_PERF] = "perf",
		[TRIGGER_TIMER] = "timer",
		[TRIGGER_OUTSIDE] = "outside",
	};

	return names[kind];
}

static void limit_frequency(const struct trigger *t, __u32 *frequency)
{
	ticks_limit_frequency(frequency);
	if (t->kind == TRIGGER_TIMER && *frequency > TIMERS_FREQUENCY_MAX)
		*frequency = TIMERS_FREQUENCY_MAX;
}

int trigger_choose(struct trigger *t)
{
	int err = 0;

	if (t->off) {
		t->kind = TRIGGER_PERF;
		return 0;
	}
	ticks_limit_frequency(&t->frequency);
	t->kind = t->wanted == TRIGGER_TIMER ? TRIGGER_TIMER : TRIGGER_PERF;
	if (t->kind == TRIGGER_PERF)
		err = ticks_probe(t->frequency, t->use_cycles);
	if (is_refusal(err) && t->wanted == TRIGGER_AUTO && !t->use_cycles) {
		t->kind = TRIGGER_TIMER;
		err = 0;
	}
	if (is_refusal(err))
		return fail_refused(t, err, t->use_cycles ? "" : ", or use --trigger timer");
	if ((err == -ENOENT || err == -EOPNOTSUPP) && t->use_cycles)
		return fail(t, err, "this machine has no cycle counter: use --event cpu");
	if (err)
		return fail(t, err, "a perf event cannot be opened: %s", strerror(-err));
	if (t->kind != TRIGGER_TIMER)
		return 0;
	if (trigger_is_realtime_kernel())
		return fail_no_timers(t, -EOPNOTSUPP);
	limit_frequency(t, &t->frequency);
	return 0;
}

static __u64 period_ns(const struct trigger *t)
{
	return 1000000000ULL / t->frequency;
}

void trigger_prepare(const struct trigger *t, struct pyperf *s, int possible_cpus)
{
	const bool timer = t->kind == TRIGGER_TIMER;

	bpf_program__set_autoload(s->progs.on_tick, !timer && !t->off);
	bpf_program__set_autoload(s->progs.start_timer, timer);
	bpf_program__set_autoload(s->progs.stop_timer, timer);
	bpf_map__set_autocreate(s->maps.timers, timer);
	bpf_map__set_max_entries(s->maps.timers, possible_cpus);
	s->bss->rates.period = period_ns(t);
}

const char *trigger_rejected(struct trigger *t)
{
	if (t->kind != TRIGGER_TIMER)
		return NULL;
	fail_no_timers(t, 0);
	return t->reason;
}

/*
 * Seconds that all CPUs together spent on programs, by /proc/stat: user, nice and system. Interrupts of an
 * idle CPU do not count.
 */
static double busy_now(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/stat", "re");
	unsigned long long user, nice, system;

	if (!f || fscanf(f, "cpu %llu %llu %llu", &user, &nice, &system) != 3)
		return 0;
	return (double)(user + nice + system) / sysconf(_SC_CLK_TCK);
}

/*
 * A clock that goes on by one second for each `frequency` ticks that there should be: with perf events in
 * all, with timers on each CPU.
 */
static double clock_now(const struct trigger *t)
{
	return t->kind == TRIGGER_PERF ? busy_now() : clock_seconds();
}

/* Which CPUs are online, as a number to compare; 0 = not known. */
static __u64 cpus_online(void)
{
	_cleanup_fclose_ FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	__u64 hash = 0;
	int c;

	while (f && (c = getc(f)) != EOF)
		hash = (hash + c) * 1000003;
	return hash;
}

/*
 * How long the machine has been suspended since it started. CPUs other than the first are off meanwhile, and
 * back before a program runs again.
 */
static __u64 suspended_ns(void)
{
	const __u64 running = clock_ns(); /* the first to be read: the difference must not be negative */

	return clock_boot_ns() - running;
}

#define NOT_NOW_NS (3600 * NS_PER_SECOND)

int trigger_try(struct trigger *t, struct pyperf *s)
{
	struct timers *timers;
	double first;
	int err, cpus;

	if (t->off || t->kind != TRIGGER_TIMER)
		return 0;
	err = timers_start(&timers, s->progs.start_timer, s->progs.stop_timer, NOT_NOW_NS, &cpus, &first);
	if (!err)
		timers_stop(timers);
	return err == -EINVAL ? fail_no_timers(t, err) : 0;
}

int trigger_start(struct trigger *t, struct pyperf *s)
{
	__u32 frequency = t->frequency;
	int err;

	if (t->off) {
		t->cpus = sysconf(_SC_NPROCESSORS_ONLN);
		return 0;
	}
	t->online = cpus_online();
	t->suspended = suspended_ns();
	/* The kernel may have lowered its limit since, and refuses more. */
	ticks_limit_frequency(&frequency);
	if (t->kind == TRIGGER_TIMER)
		err = timers_start(&t->timers, s->progs.start_timer, s->progs.stop_timer, period_ns(t),
				   &t->cpus, &t->begin);
	else
		err = ticks_start(&t->ticks, s->progs.on_tick, frequency, t->use_cycles, &t->cpus);
	if (err)
		return fail_start(t, err);
	if (t->kind == TRIGGER_PERF)
		t->begin = clock_now(t);
	t->on = t->running = true;
	return 0;
}

/*
 * Seconds of the clock since the last start, of all CPUs together; 0 while the first tick of the timers is
 * still to come.
 */
static double since_start(const struct trigger *t)
{
	double seconds = t->running ? clock_now(t) - t->begin : 0;

	if (t->kind == TRIGGER_TIMER)
		seconds *= t->cpus;
	return seconds > 0 ? seconds : 0;
}

static void stop_clock(struct trigger *t)
{
	t->before += since_start(t) * t->frequency;
	t->running = false;
}

static void stop_ticks(struct trigger *t)
{
	if (t->kind == TRIGGER_PERF)
		stop_clock(t); /* to stop all of them takes a while */
	ticks_stop(t->ticks);
	timers_stop(t->timers);
	t->ticks = NULL;
	t->timers = NULL;
	stop_clock(t);
}

void trigger_stop(struct trigger *t)
{
	stop_ticks(t);
	t->on = false;
}

#define SUSPENDED_MIN (NS_PER_SECOND / 2) /* the two clocks are not read at the same moment */

int trigger_follow_cpus(struct trigger *t, struct pyperf *s, bool lost)
{
	bool slept = (__s64)(suspended_ns() - t->suspended) >= (__s64)SUSPENDED_MIN;
	bool same = !lost && !slept && t->online == cpus_online();
	int err;

	if (!t->on || (t->running && same))
		return 0;
	stop_ticks(t);
	err = trigger_start(t, s);
	return err ?: 1;
}

int trigger_set_frequency(struct trigger *t, struct pyperf *s, __u32 frequency)
{
	const bool on = t->on;

	limit_frequency(t, &frequency);
	if (frequency == t->frequency)
		return 0;
	if (on)
		stop_ticks(t);
	t->frequency = frequency;
	s->bss->rates.period = period_ns(t);
	return on ? trigger_start(t, s) : 0;
}

__u64 trigger_expected(const struct trigger *t)
{
	return t->use_cycles ? 0 : t->before + since_start(t) * t->frequency;
}
