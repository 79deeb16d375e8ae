// SPDX-License-Identifier: GPL-2.0-only
#include "run/finish.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "export/output.h"
#include "kern/banks.h"
#include "kern/home.h"
#include "kern/kernel.h"
#include "kern/stats.h"
#include "run/agent.h"
#include "run/loop_rows.h"
#include "run/printed.h"
#include "stats/books.h"
#include "stats/run_stats.h"
#include "targets/registry.h"

#define END_SECONDS	   1.8 /* from SIGTERM until what hangs is given up */
#define LAST_SECONDS	   5.0 /* for the last profile of an endless run that ends by itself, ... */
#define LAST_HASTY_SECONDS 1.0 /* ... and when a signal ends it */

int finish_check(const struct agent *a)
{
	const struct options *o = a->options;

	return (o->continuous ? continuous_check(o->output_dir) : output_check(o->output)) ?:
	       output_check(o->stats_json) ?: output_check(o->log_file);
}

/*
 * A service manager kills what has not ended soon after SIGTERM. Whoever pressed Ctrl-C can wait, and press
 * it again.
 */
static double write_until(void *agent)
{
	struct agent *a = agent;

	loop_rows_take_signals(a);
	return a->terminated > 0 ? a->terminated + END_SECONDS : 0;
}

static int write_stats(const struct agent *a, const struct run_stats *report, FILE *f,
		       const struct output_patience *patience)
{
	const struct options *o = a->options;
	_cleanup_buf_ struct buf b = {};
	int err;

	if (o->stats)
		run_stats_print(report, f, isatty(fileno(f)));
	else if (a->window && o->top && !o->quiet && !o->subcommand->draws)
		run_stats_print_short(report, f);
	if (!o->stats_json)
		return 0;
	err = run_stats_json(report, &b);
	if (err)
		log_error("there is no memory for what --stats-json writes");
	return err ?: output_write(o->stats_json, &b, patience);
}

static void fill_report(struct agent *a, struct run_stats *r)
{
	r->seconds = a->facts.seconds;
	r->cpus = a->facts.cpus;
	r->events = a->facts.events;
	r->frequency = a->facts.frequency;
	r->tick_ns = rates_tick_ns(a);
	r->start_cpu_seconds = a->facts.start_cpu_seconds;
	r->processes = registry_count(a->registry, NULL);
	r->unlooked = registry_count_unlooked(a->registry);
	r->map_bytes = kernel_tables(a->kernel)->map_bytes;
	r->generations = a->generation.count;
	r->turns = a->loop.times;
	r->trigger = kernel_trigger(a->kernel);
	r->home = kernel_home(a->kernel)->name;
	r->expected = kernel_expected(a->kernel);
	r->codes = *codes_get_stats(a->codes);
	if (a->continuous)
		r->export = *continuous_stats(a->continuous);
	kernel_stats(a->kernel, &r->kernel);
	run_stats_measure_self(r, a->facts.command_seconds);
}

/* Those that were named may not be read, which was said, and so nothing at all was sampled. */
static int check_sampled(const struct agent *a, const struct run_stats *r)
{
	const struct options *o = a->options;
	const struct cpu_stats *sum = &r->kernel.sum;

	for (int kind = 0; kind < EVENT_KINDS; kind++)
		if (books_of(sum, kind).in_profile)
			return 0;
	if (!sum->outcome[EVENT_CPU][OUTCOME_FORBIDDEN] || (!o->command && !o->pid_count))
		return 0;
	log_error("nothing was sampled: %s may not be read", o->command ? o->command[0] : "what --pid names");
	return -EACCES;
}

/*
 * A format that has times gets the log instead of the sums: of the whole run, or the last part of it. Whether
 * it was written.
 */
static bool write_times(struct agent *a, double end)
{
	const struct options *o = a->options;
	struct log_file log = { .path = o->output, .format = o->format, .journal = a->journal,
				.windows = &a->windows, .discover = a->discover };

	if (!a->journal || !a->window || !o->output || output_is_stdout(o->output) ||
	    !format_rows[o->format].has_times || log_file_order(&log, 0, LOG_FILE_NOW, NULL))
		return false;
	log_file_finish(&log, end);
	log_file_close(&log);
	return log.written;
}

int finish_write(struct agent *a)
{
	const struct options *o = a->options;
	const struct output_patience patience = { write_until, a };
	struct whole_options whole = settings_whole(o);
	/* stdout belongs to the profile or to COMMAND if one of them uses it. */
	FILE *f = output_is_stdout(o->output) || o->command ? stderr : stdout;
	struct run_stats report = {};
	const double last = a->hasty ? LAST_HASTY_SECONDS : LAST_SECONDS;
	int err, lost;

	whole.patience = &patience;
	log_file_finish(&a->log_file, clock_seconds() + last);
	whole.is_written = write_times(a, clock_seconds() + last);
	/* The books of a run without end are worth having even if its last profile is lost. */
	lost = a->continuous ? continuous_finish(a->continuous, last, &report.harvest) : 0;
	err = a->window ? whole_write(&whole, a->window, &report.harvest, f) : 0;
	if (err)
		return err;
	fill_report(a, &report);
	err = write_stats(a, &report, f, &patience);
	err = printed_flush(f) ?: err;
	whole_say_how_to_open(&whole);
	return err ?: lost ?: check_sampled(a, &report);
}
