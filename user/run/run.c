// SPDX-License-Identifier: GPL-2.0-only
#include "run/run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "export/continuous.h"
#include "export/whole.h"
#include "guard/worker.h"
#include "report/rate.h"
#include "report/report.h"
#include "run/ask_kubelet.h"
#include "run/command.h"
#include "run/loop.h"
#include "run/notify.h"
#include "run/reload.h"
#include "run/serve.h"
#include "targets/children.h"
#include "targets/discover.h"
#include "targets/selection.h"
#include "targets/start.h"
#include "tree/generation.h"

#define TIMER_MS	 1000 /* how often the ring buffer is emptied when nothing is urgent */
#define SETTLE_END_MS	1000 /* ... and for names still asked for when it ends */
#define SETTLE_LAST_MS	400 /* ... of a continuous run, which has promised to end soon */
#define CODES_BYTES_MAX (256 << 20)

struct agent {
	struct options *options;
	struct kernel_options kernel_options;
	struct loop loop;
	struct command command;
	struct worker *worker;
	struct kernel *kernel;
	struct codes *codes;
	struct registry *registry;
	struct selection selection;
	struct discover *discover;
	struct ask_kubelet ask_kubelet;
	struct windows windows;
	struct window *window; /* of the whole run; NULL if nothing is made of it */
	struct continuous *continuous;
	struct generation generation;
	struct notify notify;
	struct http *http; /* NULL without --listen */
	struct run run;
	struct rate rate;
	bool cpus_failing;
	bool stop;
	int exit_code;
};

static int open_kernel(struct agent *a)
{
	const struct options *o = a->options;
	int err;

	a->kernel_options = (struct kernel_options){
		.trigger = o->trigger,
		.frequency = o->frequency,
		.use_cycles = o->event == EVENT_CYCLES,
		.single_reads = o->reads == READS_SINGLE,
		.by_thread = o->labels == LABELS_THREAD,
		.all = o->all_python,
		.follow = o->all_python || o->command || o->children,
		.measure = o->stats || o->stats_json || o->listen || o->listen_metrics,
		.max_depth = o->max_depth,
		.cache = o->cache,
		.cache_threads = o->cache_threads,
		.cache_depth = o->cache_depth,
		.tree_size = o->tree_size,
	};
	err = kernel_open(&a->kernel, &a->kernel_options);
	if (err) {
		log_error("%s", kernel_reason(a->kernel));
		return err;
	}
	if (a->kernel_options.frequency != (__u32)o->frequency)
		log_warning("the kernel allows %u samples per second (sysctl kernel.perf_event_max_sample_rate%s), not %ld",
			    a->kernel_options.frequency,
			    a->kernel_options.trigger == TRIGGER_TIMER ? ", and timers up to 10000" : "", o->frequency);
	return 0;
}

static int open_discover(struct agent *a)
{
	struct discover_parts parts = {
		.kernel = a->kernel,
		.worker = a->worker,
		.codes = a->codes,
		.registry = a->registry,
		.selection = &a->selection,
		.kubelet = a->ask_kubelet.kubelet,
	};
	int err = log_failure(discover_new(&a->discover, &parts), "discovery");

	if (!err)
		kernel_on_event(a->kernel, discover_event, a->discover);
	return err;
}

static int open_http(struct agent *a)
{
	struct http_source source = {
		.kernel = a->kernel,
		.worker = a->worker,
		.codes = a->codes,
		.registry = a->registry,
		.discover = a->discover,
		.windows = &a->windows,
		.run = &a->run,
		.generation = &a->generation,
		.continuous = &a->continuous,
		.kubelet = a->ask_kubelet.kubelet,
	};

	return serve_open(&a->http, &source, &a->loop);
}

/* The worker first: what it must not inherit is not open yet. */
static int open_all(struct agent *a)
{
	int err;

	err = log_failure(loop_open(&a->loop, TIMER_MS), "the event loop cannot be set up");
	if (!err)
		err = log_failure(worker_start(&a->worker, a->options->pod_logs), "the worker process cannot be started");
	if (!err)
		err = open_kernel(a);
	if (!err)
		err = log_failure(codes_new(&a->codes, CODES_BYTES_MAX), "the code store");
	if (!err)
		err = log_failure(registry_new(&a->registry), "the process registry");
	if (!err)
		err = ask_kubelet_open(&a->ask_kubelet, a->options, &a->loop);
	if (!err)
		err = open_discover(a);
	if (err)
		return err;
	err = loop_add(&a->loop, kernel_events_fd(a->kernel), LOOP_KERNEL);
	if (!err)
		err = loop_add(&a->loop, worker_fd(a->worker), LOOP_WORKER);
	return log_failure(err, "the event loop cannot be set up") ?: open_http(a);
}

static void close_all(struct agent *a)
{
	command_release(&a->command);
	http_free(a->http);
	window_close(a->window);
	continuous_close(a->continuous);
	discover_free(a->discover);
	ask_kubelet_close(&a->ask_kubelet);
	registry_free(a->registry);
	codes_free(a->codes);
	kernel_close(a->kernel);
	worker_stop(a->worker);
	loop_close(&a->loop);
	notify_close(&a->notify);
}

static void on_signals(struct agent *a)
{
	int signal;

	while ((signal = loop_signal(&a->loop))) {
		if (signal == SIGCHLD)
			continue;
		if (signal == SIGHUP && a->options->config) {
			reload(a->options, a->continuous, &a->notify);
			continue;
		}
		if (signal == SIGTERM)
			command_signal(&a->command, SIGTERM);
		a->stop = true;
		loop_hasty();
	}
	if (a->options->command && command_ended(&a->command, &a->exit_code)) {
		a->run.command_seconds = a->command.cpu_seconds;
		a->stop = true;
	}
}

static void follow_cpus(struct agent *a)
{
	int changed = kernel_follow_cpus(a->kernel, &a->run.cpus);

	if (changed > 0)
		log_info("CPUs came or went: samples are taken on %d now", a->run.cpus);
	if (changed < 0 && !a->cpus_failing)
		log_warning("CPUs came or went, and no samples are taken: %s", kernel_reason(a->kernel));
	a->cpus_failing = changed < 0;
}

/* What has a time of its own. The ring buffer has the names of all that was counted before it is read. */
static void on_time(struct agent *a, bool once_a_second)
{
	if (continuous_ends(a->continuous))
		kernel_read_events(a->kernel);
	continuous_pass_on(a->continuous, discover_pending(a->discover));
	if (a->run.start > 0 && generation_begin(&a->generation))
		kernel_read_events(a->kernel);
	generation_clear(&a->generation, discover_pending(a->discover));
	if (!once_a_second || a->run.start <= 0)
		return;
	follow_cpus(a);
	rate_check(&a->rate, a->kernel, a->run.frequency, false);
}

/* Of two timeouts, of which -1 is none. */
static int sooner(int a, int b)
{
	return b >= 0 && (a < 0 || b < a) ? b : a;
}

/* One round of the event loop. */
static int turn(struct agent *a, int timeout_ms)
{
	int sources;

	timeout_ms = sooner(timeout_ms, worker_timeout_ms(a->worker));
	timeout_ms = sooner(timeout_ms, continuous_timeout_ms(a->continuous));
	timeout_ms = sooner(timeout_ms, generation_timeout_ms(&a->generation));
	timeout_ms = sooner(timeout_ms, notify_timeout_ms(&a->notify));
	timeout_ms = sooner(timeout_ms, serve_timeout_ms(a->http));
	timeout_ms = sooner(timeout_ms, ask_kubelet_timeout_ms(&a->ask_kubelet));
	sources = loop_wait(&a->loop, timeout_ms);
	if (sources < 0)
		return log_failure(sources, "the event loop failed");
	if (sources & LOOP_SIGNAL)
		on_signals(a);
	if (sources & (LOOP_KERNEL | LOOP_TIMER))
		kernel_read_events(a->kernel);
	worker_check_deadline(a->worker);
	discover_replies(a->discover);
	ask_kubelet_run(&a->ask_kubelet);
	on_time(a, sources & LOOP_TIMER);
	notify_watchdog(&a->notify);
	serve_turn(a->http, sources);
	if (sources & LOOP_TIMER)
		discover_containers(a->discover);
	if (sources & LOOP_TIMER)
		output_progress(&a->run, a->kernel, a->registry, clock_seconds() - a->run.start);
	return 0;
}

static void settle(struct agent *a, int limit_ms)
{
	double end = clock_seconds() + limit_ms / 1e3;

	while (!a->stop && discover_pending(a->discover) && clock_seconds() < end)
		if (turn(a, 50))
			return;
}

static int turn_once(void *agent)
{
	struct agent *a = agent;

	return turn(a, 50) || a->stop;
}

static int select_targets(struct agent *a)
{
	struct targets t = {
		.options = a->options,
		.kernel = a->kernel,
		.discover = a->discover,
		.command = &a->command,
		.turn = turn_once,
		.context = a,
	};
	int err = targets_select(&t);

	return a->stop ? 0 : err;
}

/* --- one run ------------------------------------------------------------------------------------------ */

static int open_continuous(struct agent *a)
{
	int err = continuous_open(&a->continuous, a->options, &a->windows);

	if (!err && continuous_fd(a->continuous) >= 0)
		err = log_failure(loop_add(&a->loop, continuous_fd(a->continuous), LOOP_PUSH), "the event loop cannot be set up");
	return err;
}

static int start(struct agent *a)
{
	const struct options *o = a->options;
	int err = 0;

	a->run.frequency = a->windows.frequency = a->kernel_options.frequency;
	a->windows.source = (struct harvest_source){
		.tables = kernel_tables(a->kernel),
		.codes = a->codes,
		.registry = a->registry,
		.columns = o->columns,
		.pod_labels = o->kubelet ? kubelet_labels(a->ask_kubelet.kubelet) : NULL,
		.pod_label_names = o->kubelet ? &o->pod_label_names : NULL,
	};
	a->generation = (struct generation){
		.kernel = a->kernel,
		.codes = a->codes,
		.registry = a->registry,
		.discover = a->discover,
		.windows = &a->windows,
		.codes_bytes_max = CODES_BYTES_MAX,
	};
	if (o->continuous)
		err = open_continuous(a);
	else if (o->output || o->stats || o->stats_json)
		err = log_failure(window_open(&a->windows, &a->window), "the profile");
	if (err)
		return err;
	err = kernel_start(a->kernel, &a->run.cpus);
	if (err) {
		log_error("%s", kernel_reason(a->kernel));
		return err;
	}
	if (o->trigger == TRIGGER_AUTO && a->kernel_options.trigger == TRIGGER_TIMER)
		log_info("perf_event_open is refused: timers make the ticks");
	log_debug("samples are taken on %d CPUs, %u times a second", a->run.cpus, a->run.frequency);
	if (a->run.cpus < sysconf(_SC_NPROCESSORS_ONLN))
		log_warning("samples are taken on %d of %ld CPUs: the others are not for this process (cpuset)",
			    a->run.cpus, sysconf(_SC_NPROCESSORS_ONLN));
	a->run.start_cpu_seconds = report_cpu_so_far(worker_pid(a->worker));
	a->run.start = clock_seconds();
	if (o->children)
		err = log_failure(children_select(a->kernel, a->discover, o->pid_list, o->pid_count), "the children");
	err = err ?: serve_start(a->http);
	if (!err)
		notify_ready(&a->notify);
	if (err || !o->command)
		return err;
	err = command_go(&a->command);
	if (err) {
		log_error("cannot run '%s': %s", o->command[0], strerror(-err));
		a->exit_code = err == -ENOENT ? 127 : 126;
	}
	return err;
}

static int sample(struct agent *a)
{
	double end = a->run.start + a->options->seconds;

	while (!a->stop) {
		double left = end - clock_seconds();

		if (a->options->seconds > 0 && left <= 0)
			break;
		if (turn(a, a->options->seconds > 0 && left < 1 ? (int)(left * 1e3) + 1 : 1000))
			return -EIO;
	}
	notify_stopping(&a->notify);
	kernel_stop(a->kernel);
	a->windows.stop_ns = clock_ns();
	a->run.seconds = clock_seconds() - a->run.start;
	output_progress_end(&a->run);
	rate_check(&a->rate, a->kernel, a->run.frequency, true);
	return 0;
}

static int finish(struct agent *a)
{
	struct source source = { a->kernel, a->codes, a->registry, a->window, a->continuous, a->generation.count };

	kernel_read_events(a->kernel);
	a->stop = false;
	settle(a, a->continuous ? SETTLE_LAST_MS : SETTLE_END_MS);
	serve_finish(a->http);
	worker_stop(a->worker);
	a->worker = NULL;
	return output_write(&a->run, &source);
}

/* Started by --duration's end or Ctrl-C, COMMAND goes on; its code is passed on only if it ended. */
static int run(struct agent *a)
{
	int err = output_check(&a->run);

	if (notify_open(&a->notify))
		log_warning("the service manager at $NOTIFY_SOCKET cannot be told anything");
	if (!err)
		err = open_all(a);
	if (!err)
		err = select_targets(a);
	if (!err && !a->stop)
		err = start(a);
	if (!err && !a->stop)
		err = sample(a);
	if (!err && a->run.start > 0)
		err = finish(a);
	return err;
}

int agent_run(struct options *o)
{
	struct agent a = {
		.options = o,
		.selection = { o->comm, o->exclude_comm, o->cgroup, o->exclude_cgroup, o->container, o->pod, o->namespace },
		.loop = { -1, -1, -1 },
		.notify = { .fd = -1 },
		.run = { .options = o, .show_progress = !o->quiet && isatty(STDERR_FILENO) },
	};
	int err = run(&a);

	close_all(&a);
	if (err && !a.exit_code)
		a.exit_code = EXIT_FAILURE;
	return a.exit_code;
}
