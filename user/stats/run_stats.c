// SPDX-License-Identifier: GPL-2.0-only
#include "stats/run_stats.h"

#include <string.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "base/escapes.h"
#include "base/number.h"
#include "bpf/base/buckets.h"
#include "stats/books.h"

#define WIDTH 100 /* columns */

static const struct stat_row export_rows[] = {
#define EXPORT_STAT(name, help) { #name, help, offsetof(struct export_stats, name) },
#include "stats/export_stats.def"
#undef EXPORT_STAT
};

static __u64 export_value(const struct run_stats *r, const struct stat_row *row)
{
	return *(const __u64 *)((const char *)&r->export + row->offset);
}

static double rusage_seconds(const struct rusage *u)
{
	return u->ru_utime.tv_sec + u->ru_stime.tv_sec + (u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e6;
}

double run_stats_cpu_so_far(void)
{
	struct rusage self, children;
	double seconds = 0;

	if (!getrusage(RUSAGE_SELF, &self))
		seconds += rusage_seconds(&self);
	if (!getrusage(RUSAGE_CHILDREN, &children))
		seconds += rusage_seconds(&children);
	return seconds;
}

/*
 * The most this process ever had. Not getrusage(), which counts what whoever started it had before the exec.
 */
static size_t peak_rss_bytes(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/status", "re");
	size_t kilobytes = 0;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %zu kB", &kilobytes) == 1)
			break;
	return kilobytes * 1024;
}

void run_stats_measure_self(struct run_stats *r, double command_seconds)
{
	r->cpu_seconds = run_stats_cpu_so_far() - command_seconds;
	r->rss_bytes = peak_rss_bytes();
}

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* A number, 9 columns that say more of it, what it counts. */
static void print_row(FILE *f, __u64 n, const char *share, const char *text)
{
	int used = fprintf(f, "  %12s %8s  ", number_group(n).text, share);

	fprintf(f, "%.*s\n", used < WIDTH ? WIDTH - used : 0, text);
}

static void print_outcome(__u64 n, __u64 asked, enum outcome outcome, FILE *f)
{
	const struct outcome_row *row = &outcome_rows[outcome];
	char share[64] = "", text[WIDTH];

	if (outcome != OUTCOME_NOT_SELECTED && outcome != OUTCOME_IDLE)
		snprintf(share, sizeof(share), "%.*f%%", number_decimals(asked), percent(n, asked));
	snprintf(text, sizeof(text), "%s%s", row->text,
		 row->place == PLACE_MARKED ? ", in the profile with a marker" : "");
	print_row(f, n, share, text);
}

static void print_books(const struct run_stats *r, enum event_kind kind, FILE *f)
{
	const __u64 *outcome = r->kernel.sum.outcome[kind];
	__u64 unasked = outcome[OUTCOME_NOT_SELECTED] + outcome[OUTCOME_IDLE];
	struct books b = books_of(&r->kernel.sum, kind);
	const enum event_unit unit = event_rows[kind].unit;

	for (int i = 0; i < OUTCOME_COUNT; i++)
		if (outcome[i] && event_has_outcome(kind, i))
			print_outcome(outcome[i], b.total > unasked ? b.total - unasked : 0, i, f);
	fprintf(f, "  %12s           %s%s: %s in the profile + %s outside\n", number_group(b.total).text,
		unit == UNIT_COUNT ? event_rows[kind].noun : event_unit_name(unit),
		unit == UNIT_COUNT ? "s" : "", number_group(b.in_profile).text,
		number_group(b.outside).text);
	if (b.in_profile + b.outside != b.total || b.in_profile != r->harvest.samples[kind])
		fprintf(f, "  THE BOOKS DO NOT BALANCE (%s samples in the profile), please report this\n",
			number_group(r->harvest.samples[kind]).text);
}

static void print_natives(const struct run_stats *r, const char *bold, const char *plain, FILE *f)
{
	const struct cpu_stats *s = &r->kernel.sum;
	const __u64 total = native_total(s);

	if (!total)
		return;
	fprintf(f, "\n%sWhere these samples were in native code%s\n", bold, plain);
	for (int i = 0; i < NATIVE_ENDS; i++) {
		char share[64];

		snprintf(share, sizeof(share), "%.*f%%", number_decimals(total),
			 percent(s->native[i], total));
		if (s->native[i])
			print_row(f, s->native[i], share, native_rows[i].text);
	}
}

/* Of the sampler's run times in the kernel, ns, to a quarter octave; 0 if they were not measured. */
static __u64 time_quantile(const struct run_stats *r, double share)
{
	const struct cpu_stats *s = &r->kernel.sum;
	__u64 all = 0, seen = 0;
	__u32 i;

	for (i = 0; i < TIME_BUCKETS; i++)
		all += s->times[i];
	for (i = 0; i < TIME_BUCKETS - 1; i++) {
		seen += s->times[i];
		if (seen > share * all)
			break;
	}
	return all ? time_bucket_floor(i) : 0;
}

/* CPU time of the profiler since sampling began. */
static double later_seconds(const struct run_stats *r)
{
	return r->cpu_seconds > r->start_cpu_seconds ? r->cpu_seconds - r->start_cpu_seconds : 0;
}

static void print_cost(const struct run_stats *r, FILE *f)
{
	const struct kernel_stats *k = &r->kernel;
	double kernel_seconds = (k->run_time_ns + k->other_time_ns) / 1e9;
	double later = later_seconds(r);

	if (r->expected)
		fprintf(f, "  trigger   %s, %s%s ticks were asked for, %.1f%% came\n",
			trigger_name(r->trigger), r->trigger == TRIGGER_TIMER ? "" : "about ",
			number_group(r->expected).text, percent(k->sum.ticks, r->expected));
	if (k->sum.account_ns && r->tick_ns > 0)
		fprintf(f, "  CPU time  %s s by the ticks in the profile, %s s by the kernel's account\n",
			number_hundredths(books_of(&k->sum, EVENT_CPU).in_profile * r->tick_ns / 1e9).text,
			number_hundredths(k->sum.account_ns / 1e9).text);
	if (event_needs(r->events) & NEEDS_TICKS)
		fprintf(f, "  %-9s %s ns a tick, %s ticks; %.3f%% of one core over %.1f s\n", r->home,
			number_group(k->runs ? (double)k->run_time_ns / k->runs + 0.5 : 0).text,
			number_group(k->runs).text, percent(kernel_seconds, r->seconds), r->seconds);
	if (k->wait_runs)
		fprintf(f, "  waits     %s ns a switch or wake-up, %s of them; %.3f%% of one core\n",
			number_group((double)k->wait_time_ns / k->wait_runs + 0.5).text,
			number_group(k->wait_runs).text, percent(k->wait_time_ns / 1e9, r->seconds));
	if (k->memory_runs)
		fprintf(f, "  growth    %s ns a change of resident memory, %s of them; %.3f%% of one core\n",
			number_group((double)k->memory_time_ns / k->memory_runs + 0.5).text,
			number_group(k->memory_runs).text, percent(k->memory_time_ns / 1e9, r->seconds));
	if (k->sum.time_max)
		fprintf(f,
			"            half of the ticks took up to %s ns, 99 of 100 up to %s, the longest "
			"%s\n",
			number_group(time_quantile(r, 0.5)).text, number_group(time_quantile(r, 0.99)).text,
			number_group(k->sum.time_max).text);
	fprintf(f, "  profiler  %s s of CPU to start, then %s s; %.3f%% of one core\n",
		number_hundredths(r->start_cpu_seconds).text, number_hundredths(later).text,
		percent(later, r->seconds));
	if (r->turns.count)
		fprintf(f, "  loop      %s turns, 99 of 100 up to %s us, all up to %s us, %s us of CPU\n",
			number_group(r->turns.count).text,
			number_group(turn_times_quantile(&r->turns, 0.99) / 1000).text,
			number_group(r->turns.max_ns / 1000).text,
			number_group(r->turns.cpu_max_ns / 1000).text);
	fprintf(f, "  memory    %.1f MiB, tables %.1f MiB\n", r->rss_bytes / 1048576.0,
		r->map_bytes / 1048576.0);
}

static void print_cache(const struct cpu_stats *s, FILE *f)
{
	double whole = (double)s->cache_full + s->cache_partial + s->cache_miss;

	if (whole > 0)
		fprintf(f,
			"  cache     %.1f%% full, %.1f%% partial, %.1f%% miss; %.0f%% of frames verified "
			"instead of interned\n",
			percent(s->cache_full, whole), percent(s->cache_partial, whole),
			percent(s->cache_miss, whole),
			percent(s->cache_frames, (double)s->frames + s->cache_frames));
}

/* What an average sample took, and what was looked up for all of them. */
static void print_work(const struct run_stats *r, FILE *f)
{
	const struct cpu_stats *s = &r->kernel.sum;
	double samples = (double)s->waits_seen + s->memory_seen;

	for (int kind = 0; kind < EVENT_KINDS; kind++)
		samples += event_is_tick(kind) ? books_of(s, kind).in_profile : 0;
	print_cache(s, f);
	if (samples > 0)
		fprintf(f, "  a sample  %.1f frames, %.1f reads of %s bytes in all\n",
			((double)s->frames + s->cache_frames) / samples, s->reads / samples,
			number_group(s->read_bytes / samples + 0.5).text);
	fprintf(f, "  code      %s objects, %s places in them, %s line-table look-ups\n",
		number_group(r->codes.codes).text, number_group(r->harvest.locations).text,
		number_group(r->codes.decodes).text);
	fprintf(f, "  tree      %s nodes", number_group(r->harvest.nodes).text);
	if (r->generations)
		fprintf(f, ", emptied %s times before", number_group(r->generations).text);
	fputc('\n', f);
	if (r->harvest.dropped)
		fprintf(f, "  [dropped] %s of the samples' stacks, so that the profile fits in memory\n",
			number_group(r->harvest.dropped).text);
}

void run_stats_print_short(const struct run_stats *r, FILE *f)
{
	const struct kernel_stats *k = &r->kernel;
	const double kernel_ns =
		(double)k->run_time_ns + k->other_time_ns + k->wait_time_ns + k->memory_time_ns;

	fprintf(f, "\nCost: %.2f%% of one CPU in the %s, %.2f%% in the profiler, and %s s to start\n",
		percent(kernel_ns / 1e9, r->seconds), r->home, percent(later_seconds(r), r->seconds),
		number_hundredths(r->start_cpu_seconds).text);
}

void run_stats_print(const struct run_stats *r, FILE *f, bool colour)
{
	const char *bold = colour ? BOLD : "", *plain = colour ? RESET : "";

	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		if (!(r->events & EVENT_BIT(kind)))
			continue;
		fprintf(f, "\n%sWhat became of every %s%s (%d CPUs, %u Hz)\n", bold, event_rows[kind].noun,
			plain, r->cpus, r->frequency);
		print_books(r, kind, f);
	}
	print_natives(r, bold, plain, f);
	fprintf(f, "\n%sCost%s\n", bold, plain);
	print_cost(r, f);
	print_work(r, f);
	fprintf(f, "\n%sCounters%s\n", bold, plain);
	for (size_t i = 0; i < stat_row_count; i++)
		if (stat_value(&r->kernel.sum, stat_rows[i].offset))
			print_row(f, stat_value(&r->kernel.sum, stat_rows[i].offset), "", stat_rows[i].help);
	if (r->unlooked)
		print_row(f, r->unlooked, "", "processes that could not be looked at: in no profile");
	for (size_t i = 0; i < ARRAY_SIZE(export_rows); i++)
		if (export_value(r, &export_rows[i]))
			print_row(f, export_value(r, &export_rows[i]), "", export_rows[i].help);
}

static int json_outcomes(const struct run_stats *r, enum event_kind kind, struct buf *out)
{
	int err = buf_printf(out, ",\n \"%soutcomes\": {", event_rows[kind].prefix);
	const char *comma = "";

	for (int i = 0; !err && i < OUTCOME_COUNT; i++) {
		char id[OUTCOME_ID_MAX];

		if (!event_has_outcome(kind, i))
			continue;
		err = buf_printf(out, "%s\"%s\": %llu", comma, outcome_id(i, id),
				 r->kernel.sum.outcome[kind][i]);
		comma = ", ";
	}
	return err ?: buf_add_string(out, "}");
}

static int json_natives(const struct run_stats *r, struct buf *out)
{
	int err = buf_add_string(out, ",\n \"native\": {");
	char id[OUTCOME_ID_MAX];

	for (int i = 0; !err && i < NATIVE_ENDS; i++)
		err = buf_printf(out, "%s\"%s\": %llu", i ? ", " : "", native_id(i, id),
				 r->kernel.sum.native[i]);
	return err ?: buf_add_string(out, "}");
}

static int json_profile(const struct run_stats *r, struct buf *out)
{
	int err = buf_add_string(out, ",\n \"profile\": {");

	for (int kind = 0; !err && kind < EVENT_KINDS; kind++)
		err = buf_printf(out, "\"%ssamples\": %llu, ", event_rows[kind].prefix,
				 r->harvest.samples[kind]);
	return err ?:
	       buf_printf(out, "\"nodes\": %llu, \"generations\": %llu, \"dropped\": %llu}", r->harvest.nodes,
			  r->generations, r->harvest.dropped);
}

static int json_counters(const struct run_stats *r, struct buf *out)
{
	int err = buf_add_string(out, ",\n \"counters\": {");

	for (size_t i = 0; !err && i < stat_row_count; i++)
		err = buf_printf(out, "%s\"%s\": %llu", i ? ", " : "", stat_rows[i].id,
				 stat_value(&r->kernel.sum, stat_rows[i].offset));
	return err ?: buf_add_string(out, "}");
}

static int json_export(const struct run_stats *r, struct buf *out)
{
	int err = buf_add_string(out, ",\n \"export\": {");

	for (size_t i = 0; !err && i < ARRAY_SIZE(export_rows); i++)
		err = buf_printf(out, "%s\"%s\": %llu", i ? ", " : "", export_rows[i].id,
				 export_value(r, &export_rows[i]));
	return err ?: buf_add_string(out, "}");
}

/* What the profiler cost, in the kernel and here. */
static int json_cost(const struct run_stats *r, struct buf *out)
{
	const struct kernel_stats *k = &r->kernel;

	return buf_printf(out,
			  ",\n \"kernel\": {\"runs\": %llu, \"run_time_ns\": %llu, \"other_runs\": %llu, "
			  "\"other_time_ns\": %llu, \"p50_ns\": %llu, \"p99_ns\": %llu, \"max_ns\": %llu, "
			  "\"wait_runs\": %llu, \"wait_time_ns\": %llu, "
			  "\"memory_runs\": %llu, \"memory_time_ns\": %llu}",
			  k->runs, k->run_time_ns, k->other_runs, k->other_time_ns, time_quantile(r, 0.5),
			  time_quantile(r, 0.99), k->sum.time_max,
			  k->wait_runs, k->wait_time_ns, k->memory_runs, k->memory_time_ns) ?:
	       buf_printf(out,
			  ",\n \"user\": {\"cpu_seconds\": %.6f, \"start_cpu_seconds\": %.6f, "
			  "\"rss_bytes\": %zu, \"map_bytes\": %zu}",
			  r->cpu_seconds, r->start_cpu_seconds, r->rss_bytes, r->map_bytes) ?:
	       buf_printf(out,
			  ",\n \"loop\": {\"turns\": %llu, \"time_ns\": %llu, \"p50_ns\": %llu, "
			  "\"p99_ns\": %llu, \"max_ns\": %llu, \"cpu_max_ns\": %llu, \"own_max_ns\": %llu}",
			  r->turns.count, r->turns.sum_ns, turn_times_quantile(&r->turns, 0.5),
			  turn_times_quantile(&r->turns, 0.99), r->turns.max_ns,
			  r->turns.cpu_max_ns, r->turns.own_max_ns) ?:
	       buf_printf(out, ",\n \"lines\": {\"decodes\": %llu, \"locations\": %llu, \"codes\": %llu, "
			  "\"missing\": %llu}}\n",
			  r->codes.decodes, r->harvest.locations, r->codes.codes, r->codes.missing);
}

int run_stats_json(const struct run_stats *r, struct buf *out)
{
	const struct kernel_stats *k = &r->kernel;
	int err;

	err = buf_printf(
		out,
		"{\"ticks\": %llu, \"expected\": %llu, \"trigger\": \"%s\", \"cpus\": %d, \"frequency\": %u, "
		"\"seconds\": %.3f, \"processes\": %zu, \"not_looked_at\": %zu",
		k->sum.ticks, r->expected, trigger_name(r->trigger), r->cpus, r->frequency, r->seconds,
		r->processes, r->unlooked);
	for (int kind = 0; !err && kind < EVENT_KINDS; kind++)
		err = json_outcomes(r, kind, out);
	return err ?: json_natives(r, out) ?: json_counters(r, out) ?: json_export(r, out) ?:
	       json_profile(r, out) ?:
	       json_cost(r, out);
}
