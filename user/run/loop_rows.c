// SPDX-License-Identifier: GPL-2.0-only
#include "run/loop_rows.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "kern/accounts.h"
#include "kern/kernel.h"
#include "kern/records.h"
#include "run/agent.h"
#include "run/reload.h"
#include "targets/registry.h"

#define WAIT_UNSAID_SECONDS 1.0 /* from a signal until it is said that COMMAND has not ended by it */
#define SAME_SIGNAL_SECONDS 0.1 /* timeout(1) sends it to us, and then to the whole group */

/*
 * A Ctrl-C reaches COMMAND as well, since both are in the terminal's foreground group, and SIGTERM is handed
 * on to it. It may have much to do before it ends: that is sampled, too, until the next signal.
 */
static void end_by_signal(struct agent *a, int signal)
{
	const bool waits = command_runs(&a->command) && !a->windows.stop_ns;
	const double now = clock_seconds();

	a->hasty = true;
	if (waits && now < a->ends_since + SAME_SIGNAL_SECONDS)
		return;
	if (signal == SIGTERM) {
		a->terminated = now;
		if (command_runs(&a->command))
			command_signal(&a->command, SIGTERM);
	}
	if (waits && a->ends_since <= 0) {
		a->ends_since = now;
		return;
	}
	a->stop = true;
	loop_hasty();
}

void loop_rows_take_signals(struct agent *a)
{
	int signal;

	while ((signal = loop_signal(&a->loop))) {
		if (signal == SIGCHLD)
			continue;
		if (signal == SIGUSR2) {
			log_file_signalled(a->log_file.path ? &a->log_file : NULL);
			continue;
		}
		if (signal == SIGHUP && a->options->config) {
			reload(a);
			continue;
		}
		end_by_signal(a, signal);
	}
}

bool loop_rows_command_ended(struct agent *a)
{
	if (!command_ended(&a->command, &a->exit_code))
		return false;
	a->facts.command_seconds = a->command.cpu_seconds;
	return true;
}

static void end_with_command(struct agent *a)
{
	if (!loop_rows_command_ended(a) || a->windows.stop_ns)
		return;
	a->stop = true;
	if (a->ends_since <= 0)
		return;
	loop_hasty(); /* its end was all that the signal left to wait for */
	if (a->terminated > 0)
		a->terminated = clock_seconds();
}

static void on_signals(void *agent, unsigned int ready)
{
	struct agent *a = agent;

	if (!(ready & LOOP_READABLE))
		return;
	loop_rows_take_signals(a);
	if (a->options->command)
		end_with_command(a);
}

/* Without makers of workers there can be no other one. */
static void on_worker_lost(void *agent, unsigned int ready)
{
	struct agent *a = agent;

	(void)ready;
	if (!worker_is_lost(a->worker) || a->worker_lost)
		return;
	log_error("pyperf-zygote, which makes workers, has ended: no program can be looked at any "
		  "more, so the run ends");
	a->worker_lost = a->stop = true;
	a->exit_code = EXIT_FAILURE;
}

static void follow_cpus(struct agent *a)
{
	int changed = kernel_follow_cpus(a->kernel, &a->facts.cpus);

	if (changed > 0)
		log_info("CPUs came or went: samples are taken on %d now", a->facts.cpus);
	if (changed == -EPIPE) {
		log_error("%s: the run ends", kernel_reason(a->kernel));
		a->stop = true;
		a->exit_code = EXIT_FAILURE;
	} else if (changed < 0)
		complain(&a->cpus, "CPUs came or went, and no samples are taken: %s",
			 kernel_reason(a->kernel));
	else
		complaint_over(&a->cpus, NULL);
}

/* As with COMMAND, whatever --duration says. */
static void end_with_targets(struct agent *a)
{
	const size_t named = a->options->pid_count;
	size_t live;

	registry_count(a->registry, &live);
	if (a->stop || !targets_end_look(&a->targets_end, a->options->children, live))
		return;
	if (named == 1)
		log_info("process %d has ended%s, and with it the run", a->options->pid_list[0],
			 a->options->children ? ", and so have its children" : "");
	else
		log_info("all %zu processes that --pid names have ended%s, and with them the run", named,
			 a->options->children ? ", and so have their children" : "");
	a->stop = true;
}

/* It may ignore the signal, or have got none. */
static void say_what_is_waited_for(struct agent *a)
{
	if (a->ends_since <= 0 || a->wait_said || clock_seconds() < a->ends_since + WAIT_UNSAID_SECONDS)
		return;
	a->wait_said = true;
	log_info("COMMAND, process %d, has not ended yet, and is profiled until it does: Ctrl-C once more "
		 "ends this without it",
		 a->command.pid);
}

static void on_second(void *agent, unsigned int ready)
{
	struct agent *a = agent;

	if (!(ready & LOOP_SECOND))
		return;
	if (a->facts.start > 0) {
		follow_cpus(a);
		rate_check(&a->rate, a->kernel, a->facts.frequency, false);
		end_with_targets(a);
		no_room_check(&a->no_room, a->kernel);
		reload_if_changed(a);
		rates_check(a);
	}
	if (command_runs(&a->command))
		say_what_is_waited_for(a);
	progress_show(&a->progress, &a->facts, a->kernel, a->registry);
}

/*
 * The order of a turn. What has come is taken before anybody acts on it: the records, and the worker's
 * answers to what they asked. So these two stand before whoever waits for names: a generation of the tree
 * here, an interval, `top` and requests for profiles, whose rows are added later.
 */
int loop_rows_open(struct agent *a)
{
	struct loop *l = &a->loop;
	const struct loop_row signals = { loop_signals_fd(l), NULL, on_signals, a };
	const struct loop_row worker_lost = { -1, NULL, on_worker_lost, a };
	const struct loop_row second = { -1, NULL, on_second, a };
	int err = windows_watch(&a->windows, l) ?: loop_watch(l, &signals) ?: kernel_watch(a->kernel, l) ?:
		  discover_watch_answers(a->discover, l) ?: loop_watch(l, &worker_lost) ?:
		  generation_watch(&a->generation, l) ?: loop_watch(l, &second) ?:
		  discover_watch(a->discover, l) ?: symbols_watch(a->symbols, l) ?:
		  looks_watch(a->looks, l) ?: published_watch(a->published, l) ?:
		  called_targets_watch(a->called_targets, l) ?:
		  route_targets_watch(a->route_targets, l) ?: accounts_watch(a->kernel, l) ?:
		  notify_watch(&a->notify, l);

	return log_failure(err, "the event loop cannot be set up");
}
