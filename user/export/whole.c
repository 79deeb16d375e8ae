// SPDX-License-Identifier: GPL-2.0-only
#include "export/whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "export/file.h"
#include "profile/folded.h"
#include "profile/pprof.h"
#include "profile/summary.h"
#include "report/report.h"

static bool to_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

static int check_file(const char *path)
{
	int err = !path || to_stdout(path) ? 0 : file_check_writable(path);

	if (err)
		log_error("cannot write '%s': %s", path, strerror(-err));
	return err;
}

int output_check(const struct run *r)
{
	const struct options *o = r->options;

	return (o->continuous ? continuous_check(o) : check_file(o->output)) ?: check_file(o->stats_json);
}

void output_progress(struct run *r, const struct kernel *k, const struct registry *registry, double seconds)
{
	struct report report = {};
	struct books books;
	__u64 cached, looked;
	size_t live = 0;

	if (!r->show_progress || !r->start || seconds - r->last_progress < 0.9)
		return;
	r->last_progress = seconds;
	kernel_stats(k, &report.kernel);
	books = report_books(&report);
	registry_count(registry, &live);
	cached = report.kernel.sum.cache_full + report.kernel.sum.cache_partial;
	looked = cached + report.kernel.sum.cache_miss;
	fprintf(stderr, "\r\033[K%.0f s, %d CPUs at %u Hz, %zu Python processes, %llu samples, %.0f%% cached. Ctrl-C ends it.",
		seconds, r->cpus, r->frequency, live, books.in_profile, looked ? 100.0 * cached / looked : 0.0);
	fflush(stderr);
}

void output_progress_end(struct run *r)
{
	if (r->show_progress && r->last_progress > 0)
		fputs("\r\033[K", stderr);
}

static int write_buf(const char *path, const struct buf *b)
{
	int err = to_stdout(path) ? fd_write_all(STDOUT_FILENO, b->data, b->size)
				  : file_write_atomic(path, b->data, b->size);

	if (err)
		log_error("cannot write '%s': %s", path, strerror(-err));
	return err;
}

static int write_profile(const struct run *r, const struct profile *p)
{
	const struct options *o = r->options;
	_cleanup_buf_ struct buf b = {};
	int err = o->format == FORMAT_FOLDED ? folded_encode(p, &b) : pprof_encode(p, &b);

	if (err) {
		log_error("the profile cannot be encoded: %s", strerror(-err));
		return err;
	}
	return write_buf(o->output, &b);
}

static void say_how_to_open(const struct options *o)
{
	if (!o->output || to_stdout(o->output))
		return;
	if (o->format == FORMAT_FOLDED)
		log_info("wrote %s. Open it with a flame-graph viewer such as speedscope", o->output);
	else
		log_info("wrote %s. Open it: go tool pprof -http localhost:8080 %s, or drop it on speedscope", o->output,
			 o->output);
}

static int write_stats(const struct run *r, const struct report *report, FILE *f)
{
	const struct options *o = r->options;
	_cleanup_buf_ struct buf b = {};
	int err = 0;

	if (o->stats)
		report_print(report, f, isatty(fileno(f)));
	if (o->stats_json) {
		err = report_json(report, &b);
		if (err)
			log_error("out of memory");
		else
			err = write_buf(o->stats_json, &b);
	}
	return err;
}

/* The profile of the whole run and its summary. */
static int write_whole(const struct run *r, struct source *s, struct harvest_stats *ret_stats, FILE *f)
{
	const struct options *o = r->options;
	_cleanup_profile_ struct profile *profile = NULL;
	int err = window_take(s->window, &profile, ret_stats);

	if (err) {
		log_error("the profile cannot be put together: %s", strerror(-err));
		return err;
	}
	if (!o->output)
		return 0;
	err = write_profile(r, profile);
	if (err)
		return err;
	if (!ret_stats->samples)
		log_warning("no Python process used the CPU: the profile is empty");
	else if (!o->quiet && o->top)
		summary_print(profile, f, isatty(fileno(f)), o->top);
	return 0;
}

int output_write(const struct run *r, struct source *s)
{
	const struct options *o = r->options;
	/* stdout belongs to the profile or to COMMAND if one of them uses it. */
	FILE *f = to_stdout(o->output) || o->command ? stderr : stdout;
	struct report report = {
		.seconds = r->seconds,
		.cpus = r->cpus,
		.frequency = r->frequency,
		.processes = registry_count(s->registry, NULL),
		.map_bytes = kernel_tables(s->kernel)->map_bytes,
		.start_cpu_seconds = r->start_cpu_seconds,
		.generations = s->generations,
		.trigger = kernel_trigger(s->kernel),
		.expected = kernel_expected(s->kernel),
	};
	int err, lost;

	/* Of a run without end the books are worth having even if its last profile is lost. */
	lost = s->continuous ? continuous_finish(s->continuous, &report.harvest) : 0;
	err = s->window ? write_whole(r, s, &report.harvest, f) : 0;
	if (err)
		return err;
	if (s->continuous)
		report.export = *continuous_stats(s->continuous);
	kernel_stats(s->kernel, &report.kernel);
	report.codes = *codes_get_stats(s->codes);
	report_measure_self(&report, r->command_seconds);
	err = write_stats(r, &report, f);
	fflush(f);
	say_how_to_open(o);
	return err ?: lost;
}
