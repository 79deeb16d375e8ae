// SPDX-License-Identifier: GPL-2.0-only
#include "run/turns.h"

#include <signal.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "run/agent.h"
#include "run/reload.h"

static void on_turn(void *agent, unsigned int ready)
{
	(void)ready;
	windows_begin_turn(&((struct agent *)agent)->windows);
}

void turns_take_signals(struct agent *a)
{
	int signal;

	while ((signal = loop_signal(&a->loop))) {
		if (signal == SIGCHLD)
			continue;
		if (signal == SIGHUP && a->options->config) {
			reload(a);
			continue;
		}
		if (signal == SIGTERM) {
			command_signal(&a->command, SIGTERM);
			a->terminated = clock_seconds();
		}
		a->stop = true;
		loop_hasty();
	}
}

static void on_signals(void *agent, unsigned int ready)
{
	struct agent *a = agent;

	if (!(ready & LOOP_READABLE))
		return;
	turns_take_signals(a);
	if (a->options->command && command_ended(&a->command, &a->exit_code)) {
		a->facts.command_seconds = a->command.cpu_seconds;
		a->stop = true;
	}
}

/* Most records do not wake the loop: those that wait are read once a second. */
static void on_kernel(void *agent, unsigned int ready)
{
	struct agent *a = agent;

	if (ready)
		kernel_read_records(a->kernel);
}

static int worker_due(void *agent)
{
	return worker_timeout_ms(((struct agent *)agent)->worker);
}

static void on_worker(void *agent, unsigned int ready)
{
	struct agent *a = agent;

	(void)ready;
	worker_check_deadline(a->worker);
	discover_replies(a->discover);
	if (worker_is_lost(a->worker) && !a->worker_lost) {
		log_error("pyperf-zygote, which makes workers, has ended: no program can be looked at any "
			  "more, so the run ends");
		a->worker_lost = a->stop = true;
		a->exit_code = EXIT_FAILURE;
	}
}

static int continuous_due(void *agent)
{
	return continuous_timeout_ms(((struct agent *)agent)->continuous);
}

/* The names of all that was counted are in the ring buffer before an interval's counts are taken. */
static void on_interval(void *agent, unsigned int ready)
{
	struct agent *a = agent;

	(void)ready;
	if (continuous_ends(a->continuous)) {
		kernel_read_records(a->kernel);
		discover_lines(a->discover);
	}
	continuous_pass_on(a->continuous, discover_pending(a->discover));
}

static int generation_due(void *agent)
{
	return generation_timeout_ms(&((struct agent *)agent)->generation);
}

static void on_generation(void *agent, unsigned int ready)
{
	struct agent *a = agent;

	(void)ready;
	if (a->facts.start > 0 && generation_begin(&a->generation)) {
		kernel_read_records(a->kernel);
		discover_lines(a->discover);
	}
	generation_clear(&a->generation, discover_pending(a->discover));
}

static void follow_cpus(struct agent *a)
{
	int changed = kernel_follow_cpus(a->kernel, &a->facts.cpus);

	if (changed > 0)
		log_info("CPUs came or went: samples are taken on %d now", a->facts.cpus);
	if (changed < 0)
		complain(&a->cpus, "CPUs came or went, and no samples are taken: %s",
			 kernel_reason(a->kernel));
	else
		complaint_over(&a->cpus, NULL);
}

static void on_second(void *agent, unsigned int ready)
{
	struct agent *a = agent;

	if (!(ready & LOOP_SECOND))
		return;
	if (a->facts.start > 0) {
		follow_cpus(a);
		rate_check(&a->rate, a->kernel, a->facts.frequency, false);
	}
	discover_second(a->discover);
	progress_show(&a->progress, &a->facts, a->kernel, a->registry);
}

static int looks_due(void *agent)
{
	return looks_timeout_ms(((struct agent *)agent)->looks);
}

static void on_looks(void *agent, unsigned int ready)
{
	(void)ready;
	looks_turn(((struct agent *)agent)->looks);
}

static int discover_due(void *agent)
{
	return discover_timeout_ms(((struct agent *)agent)->discover);
}

static void on_discover(void *agent, unsigned int ready)
{
	(void)ready;
	discover_turn(((struct agent *)agent)->discover);
}

static int watchdog_due(void *agent)
{
	return notify_timeout_ms(&((struct agent *)agent)->notify);
}

static void on_watchdog(void *agent, unsigned int ready)
{
	struct agent *a = agent;

	(void)ready;
	notify_watchdog(&a->notify);
}

static int live_due(void *agent)
{
	return live_timeout_ms(((struct agent *)agent)->live);
}

static void on_live(void *agent, unsigned int ready)
{
	struct agent *a = agent;

	(void)ready;
	if (live_is_due(a->live))
		kernel_read_records(a->kernel);
	if (live_turn(a->live) || live_has_ended(a->live))
		a->stop = true;
}

int turns_watch_live(struct agent *a)
{
	const struct loop_row row = { live_fd(a->live), live_due, on_live, a };

	return log_failure(loop_watch(&a->loop, &row), "the event loop cannot be set up");
}

int turns_watch_intervals(struct agent *a)
{
	const struct loop_row row = { continuous_fd(a->continuous), continuous_due, on_interval, a };

	return log_failure(loop_watch(&a->loop, &row), "the event loop cannot be set up");
}

int turns_open(struct agent *a)
{
	const struct loop_row rows[] = {
		{ -1, NULL, on_turn, a },
		{ loop_signals_fd(&a->loop), NULL, on_signals, a },
		{ kernel_records_fd(a->kernel), NULL, on_kernel, a },
		{ worker_fd(a->worker), worker_due, on_worker, a },
		{ -1, generation_due, on_generation, a },
		{ -1, NULL, on_second, a },
		{ -1, looks_due, on_looks, a },
		{ -1, discover_due, on_discover, a },
		{ -1, watchdog_due, on_watchdog, a },
	};
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(rows); i++)
		err = loop_watch(&a->loop, &rows[i]);
	return log_failure(err, "the event loop cannot be set up");
}
