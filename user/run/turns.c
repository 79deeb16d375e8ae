// SPDX-License-Identifier: GPL-2.0-only
#include "run/turns.h"

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

void turns_take_signals(struct agent *a)
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
		if (signal == SIGTERM) {
			command_signal(&a->command, SIGTERM);
			a->terminated = clock_seconds();
		}
		a->stop = a->hasty = true;
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
	if (changed < 0)
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
	}
	progress_show(&a->progress, &a->facts, a->kernel, a->registry);
}

/*
 * The order of a turn. What has come is taken before anybody acts on it: the records, and the worker's
 * answers to what they asked. So these two stand before whoever waits for names: a generation of the tree
 * here, an interval, `top` and requests for profiles, whose rows are added later.
 */
int turns_open(struct agent *a)
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
		  route_targets_watch(a->route_targets, l) ?: accounts_watch(a->kernel, l) ?:
		  notify_watch(&a->notify, l);

	return log_failure(err, "the event loop cannot be set up");
}
