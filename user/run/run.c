// SPDX-License-Identifier: GPL-2.0-only
/*
 * run.c - a whole run of the profiler: open its parts (parts.h), choose the targets, sample, write.
 * `pyperf-bpf top` is one with a page on the terminal.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "kern/accounts.h"
#include "kern/banks.h"
#include "kern/cpu_ticks.h"
#include "kern/home.h"
#include "kern/kernel.h"
#include "kern/stats.h"
#include "run/agent.h"
#include "run/commands.h"
#include "run/finish.h"
#include "run/give_up.h"
#include "run/loop_rows.h"
#include "run/named.h"
#include "run/parts.h"
#include "run/rates.h"
#include "stats/run_stats.h"
#include "targets/children.h"
#include "targets/registry.h"
#include "targets/start.h"

#define STEP_MS		50   /* of waiting for answers */
#define SETTLE_END_MS	1000 /* for names still asked for when sampling ends ... */
#define SETTLE_LAST_MS	400  /* ... of a continuous run, which has promised to end soon */
#define SETTLE_LINES_MS 10000 /* ... where nobody waits for the end, for lines and names of native code */

/* One round of the event loop. */
static int turn(struct agent *a, int timeout_ms)
{
	return log_failure(loop_turn(&a->loop, timeout_ms), "the event loop failed");
}

/* The kubelet is first asked when sampling has begun: a short run has its labels, too, if it answers soon. */
static void settle_names(struct agent *a, int limit_ms)
{
	const double begin = clock_seconds(), end = begin + limit_ms / 1e3;
	double now = begin;

	while (!a->stop && now < end &&
	       (discover_pending(a->discover) ||
		(now < begin + SETTLE_END_MS / 1e3 && ask_kubelet_is_first(&a->ask_kubelet)))) {
		if (turn(a, STEP_MS))
			return;
		now = clock_seconds();
	}
}

static int turn_once(void *agent)
{
	struct agent *a = agent;

	return turn(a, STEP_MS) || a->stop;
}

static int select_targets(struct agent *a)
{
	const struct options *o = a->options;
	struct targets t = {
		.pids = o->pid_list,
		.pid_count = o->pid_count,
		.children = o->children,
		.kernel = a->kernel,
		.discover = a->discover,
		.turn = turn_once,
		.context = a,
	};
	const bool outside = kernel_home(a->kernel)->is_outside;
	int err = 0;

	if (outside && !o->children)
		err = named_check_readable(o->pid_list, o->pid_count);
	if (!err && o->command) {
		err = log_failure(command_start(&a->command, o->command, outside),
				  "COMMAND cannot be started");
		t.command = a->command.pid;
	}
	if (!err)
		err = log_failure(targets_end_open(&a->targets_end, o->pid_list, o->pid_count),
				  "the end of the processes cannot be waited for");
	err = err ?: targets_select(&t);
	return a->stop ? 0 : err;
}

static int open_continuous(struct agent *a)
{
	const struct continuous_options o = settings_continuous(a->options);

	int err = continuous_open(&a->continuous, &o, &a->windows);

	if (!err && a->journal)
		continuous_log(a->continuous, a->journal, &a->windows);
	return err ?: log_failure(continuous_watch(a->continuous, a->discover, &a->loop),
				  "the event loop cannot be set up");
}

static int open_live(struct agent *a)
{
	int err = live_open(&a->live, &a->windows, a->registry, a->options->refresh);

	if (err == -ENOTTY) {
		log_error("top needs a terminal; for a file use -o FILE without top");
		return err;
	}
	return log_failure(err ?: live_watch(a->live, a->kernel, &a->loop), "top");
}

static void settle_waits(void *agent)
{
	const struct agent *a = agent;

	kernel_settle(a->kernel);
}

static void set_inputs(struct agent *a)
{
	const struct options *o = a->options;

	rates_begin(a);
	a->facts.events = a->windows.events = o->events;
	a->windows.settle = settle_waits;
	a->windows.outside = kernel_home(a->kernel)->is_outside;
	a->windows.timed =
		(a->kernel_options.needs & NEEDS_WAITS || a->kernel_options.wall || a->windows.outside) &&
		accounts_are_wanted(&a->kernel_options);
	a->windows.bare_natives = o->symbols == SYMBOLS_SERVER;
	a->windows.count_ticks = rates_count;
	a->windows.context = a;
	a->facts.interval_seconds = o->interval_seconds;
	a->facts.turns = &a->loop.times;
	a->windows.inputs = (struct harvest_inputs){
		.tables = kernel_tables(a->kernel),
		.codes = a->codes,
		.natives = a->natives,
		.kernel_names = a->kernel_names,
		.interpreter = o->native_interpreter,
		.hide_native = o->hide == HIDE_NATIVE,
		.registry = a->registry,
		.called = a->called,
		.columns = o->columns,
		.endpoint_rules = a->endpoint_rules,
		.pod_labels = o->kubelet ? kubelet_labels(a->ask_kubelet.kubelet) : NULL,
		.pod_label_names = o->kubelet ? &o->pod_label_names : NULL,
		.context_names = &o->context_names,
		.services = &o->services,
	};
	a->generation = (struct generation){
		.kernel = a->kernel,
		.codes = a->codes,
		.registry = a->registry,
		.discover = a->discover,
		.windows = &a->windows,
		.codes_bytes_max = CODES_BYTES_MAX,
	};
}

static int open_journal(struct agent *a)
{
	const int cpus = sysconf(_SC_NPROCESSORS_CONF);
	int err = journal_new(&a->journal, a->kernel, &a->windows, a->options->log, cpus,
			      a->options->trace == TRACE_OTEL);

	a->generation.journal = a->journal;
	if (!err)
		a->journal->routes = a->routes;
	err = err ?: journal_watch(a->journal, &a->loop);
	if (!err && a->options->log_file) {
		a->log_file = (struct log_file){
			.path = a->options->log_file,
			.format = format_of_file(a->options->log_file),
			.journal = a->journal,
			.windows = &a->windows,
			.discover = a->discover,
		};
		err = log_file_watch(&a->log_file, &a->loop);
	}
	return log_failure(err, "the log of samples");
}

static int start_ticks(struct agent *a)
{
	int err = kernel_start(a->kernel, &a->facts.cpus);

	if (err) {
		log_error("%s" ASK_DOCTOR, kernel_reason(a->kernel));
		return err;
	}
	if (a->options->trigger == TRIGGER_AUTO && a->kernel_options.trigger == TRIGGER_TIMER)
		log_info("perf_event_open is refused: timers make the ticks");
	if (a->options->kernel == KERNEL_MODE_FULL && a->kernel_options.trigger == TRIGGER_TIMER)
		log_warning("the kernel's functions are found by perf events only, and those are refused: "
			    "--kernel syscall");
	if (!(a->kernel_options.needs & NEEDS_TICKS))
		log_debug("there are no ticks: threads are seen when they wait");
	else
		log_debug("samples are taken on %d CPUs, %u times a second", a->facts.cpus,
			  a->facts.frequency);
	if (a->facts.cpus < sysconf(_SC_NPROCESSORS_ONLN))
		log_warning(
			"samples are taken on %d of %ld CPUs: the others are not for this process (cpuset)",
			a->facts.cpus, sysconf(_SC_NPROCESSORS_ONLN));
	a->facts.start_cpu_seconds = run_stats_cpu_so_far() + worker_seconds(a->worker);
	a->facts.start = clock_seconds();
	return 0;
}

/* Before the first sample: there is nothing to write. */
static void end_unsampled(struct agent *a)
{
	if (!a->worker_lost)
		log_error("ended by a signal before the first sample: nothing was sampled, and nothing is "
			  "written");
	a->exit_code = EXIT_FAILURE;
}

/* A signal that came until now found no COMMAND that it could have been meant for. */
static int let_command_go(struct agent *a)
{
	int err;

	loop_rows_take_signals(a);
	if (a->stop)
		return 0;
	err = command_go(&a->command);
	if (err == -EPIPE) {
		a->stop = true;
		return 0;
	}
	if (err) {
		log_error("cannot run '%s': %s", a->options->command[0], strerror(-err));
		a->exit_code = err == -ENOENT ? 127 : 126;
	}
	return err;
}

/* Others may be hostile, so they are heard only now that rights were given up. */
static int hear_others(struct agent *a)
{
	return ask_kubelet_watch(&a->ask_kubelet, &a->loop) ?: serve_watch(a->http, &a->loop);
}

static int start(struct agent *a)
{
	const struct options *o = a->options;
	int err = 0;

	set_inputs(a);
	if (o->log)
		err = open_journal(a);
	if (err)
		return err;
	if (o->continuous)
		err = open_continuous(a);
	else if (o->output || o->stats || o->stats_json)
		err = log_failure(window_open(&a->windows, &a->window), "the profile");
	err = err ?: start_ticks(a);
	if (!err && o->subcommand->draws)
		err = open_live(a);
	if (!err && o->children)
		err = log_failure(children_select(a->kernel, a->discover, o->pid_list, o->pid_count),
				  "the children");
	err = err ?: serve_start(a->http);
	err = err ?: give_up_privileges(a) ?: hear_others(a);
	if (err)
		return err;
	notify_ready(&a->notify);
	return o->command ? let_command_go(a) : 0;
}

static int sample(struct agent *a)
{
	double end = a->facts.start + a->options->seconds;

	while (!a->stop && !live_has_ended(a->live)) {
		double left = end - clock_seconds();

		if (a->options->seconds > 0 && left <= 0)
			break;
		if (turn(a, a->options->seconds > 0 && left < 1 ? (int)(left * 1e3) + 1 : 1000))
			return -EIO;
	}
	notify_stopping(&a->notify);
	kernel_stop(a->kernel);
	live_close(a->live);
	a->live = NULL;
	a->windows.stop_ns = clock_ns();
	a->facts.seconds = clock_seconds() - a->facts.start;
	progress_end(&a->progress);
	rate_check(&a->rate, a->kernel, a->facts.frequency, true);
	no_room_check(&a->no_room, a->kernel);
	return 0;
}

static int finish(struct agent *a)
{
	bool lines;

	lines = discover_catch_up(a->discover);
	a->stop = false;
	settle_names(a, a->continuous ? SETTLE_LAST_MS :
			lines && a->terminated <= 0 ? SETTLE_LINES_MS : SETTLE_END_MS);
	windows_end_turns(&a->windows);
	serve_finish(a->http);
	worker_stop(a->worker);
	a->worker = NULL;
	return finish_write(a);
}

/* Where the run ends before COMMAND, COMMAND goes on; its code is passed on only if it ended. */
static int run_agent(struct agent *a)
{
	bool sampled = false;
	int err = named_check_proc() ?: named_check(a->options->pid_list, a->options->pid_count) ?:
		  finish_check(a);

	if (notify_open(&a->notify))
		log_warning("the service manager at $NOTIFY_SOCKET cannot be told anything");
	if (!err)
		err = parts_open(a);
	if (!err)
		err = select_targets(a);
	if (!err && !a->stop)
		err = start(a);
	if (!err && !a->stop) {
		sampled = true;
		err = sample(a);
	}
	if (!err && sampled)
		err = finish(a);
	else if (!err)
		end_unsampled(a);
	if (sampled && a->options->command)
		loop_rows_command_ended(a);
	return err;
}

int run_profiler(struct options *o)
{
	struct agent a = {
		.options = o,
		.selection = settings_selection(o),
		.loop = { .epoll = -1, .signals = -1, .timer = -1 },
		.notify = { .fd = -1 },
		.progress = { .wanted = !o->quiet && !o->subcommand->draws && isatty(STDERR_FILENO) },
	};
	int err;

	reload_begin(&a);
	settings_begin_paths(o);
	err = run_agent(&a);
	parts_close(&a);
	if (err && !a.exit_code)
		a.exit_code = EXIT_FAILURE;
	return a.exit_code;
}
