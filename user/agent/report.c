// SPDX-License-Identifier: GPL-2.0-only
#include "agent/report.h"

#include <string.h>
#include <sys/resource.h>

#include "base/cleanup.h"

enum place { WHOLE, MARKED, OUTSIDE };

static const struct outcome_row {
	const char *id; /* as in the enum, lower case */
	const char *text;
	enum place place;
} outcomes[] = {
#define OUTCOME(name, place, text, help) { #name, text, place },
#include "bpf/outcomes.def"
#undef OUTCOME
};

static const struct stat_row {
	const char *id;
	const char *help;
	size_t offset;
} stat_rows[] = {
#define STAT(name, help) { #name, help, offsetof(struct cpu_stats, name) },
#include "bpf/stats.def"
#undef STAT
};

static __u64 stat_value(const struct report *r, const struct stat_row *row)
{
	return *(const __u64 *)((const char *)&r->kernel.sum + row->offset);
}

struct books report_books(const struct report *r)
{
	struct books b = { .ticks = r->kernel.sum.ticks };

	for (size_t i = 0; i < ARRAY_SIZE(outcomes); i++) {
		if (outcomes[i].place == OUTSIDE)
			b.outside += r->kernel.sum.outcome[i];
		else
			b.in_profile += r->kernel.sum.outcome[i];
	}
	return b;
}

void report_measure_self(struct report *r, double command_seconds)
{
	const int who[] = { RUSAGE_SELF, RUSAGE_CHILDREN };

	r->cpu_seconds = -command_seconds;
	for (size_t i = 0; i < ARRAY_SIZE(who); i++) {
		struct rusage u;

		if (getrusage(who[i], &u))
			continue;
		r->cpu_seconds += u.ru_utime.tv_sec + u.ru_stime.tv_sec;
		r->cpu_seconds += (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
		if (who[i] == RUSAGE_SELF)
			r->rss_bytes = u.ru_maxrss * 1024UL;
	}
}

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static void print_outcomes(const struct report *r, FILE *f)
{
	struct books b = report_books(r);

	for (size_t i = 0; i < ARRAY_SIZE(outcomes); i++) {
		__u64 n = r->kernel.sum.outcome[i];

		if (n || outcomes[i].place == WHOLE)
			fprintf(f, "  %12llu %6.2f%%  %s%s\n", n, percent(n, b.ticks), outcomes[i].text,
				outcomes[i].place == MARKED ? ", in the profile with a marker" : "");
	}
	fprintf(f, "  %12llu          ticks: %llu in the profile + %llu outside%s\n", b.ticks, b.in_profile, b.outside,
		b.in_profile + b.outside == b.ticks && b.in_profile == r->harvest.samples
			? ""
			: "; THE BOOKS DO NOT BALANCE, please report this");
}

static void print_cost(const struct report *r, FILE *f)
{
	const struct kernel_stats *k = &r->kernel;
	double kernel_seconds = (k->run_time_ns + k->other_time_ns) / 1e9;

	fprintf(f, "  kernel %.0f ns a tick, %llu ticks; profiler %.2f s of CPU\n",
		k->runs ? (double)k->run_time_ns / k->runs : 0, k->runs, r->cpu_seconds);
	fprintf(f, "  in all %.3f%% of one core over %.1f s; memory %.1f MiB, tables %.1f MiB\n",
		percent(kernel_seconds + r->cpu_seconds, r->seconds), r->seconds, r->rss_bytes / 1048576.0,
		r->map_bytes / 1048576.0);
	fprintf(f, "  %llu places in code, %llu line-table look-ups, %llu code objects, %llu tree nodes\n",
		r->harvest.locations, r->codes.decodes, r->codes.codes, r->harvest.nodes);
}

void report_print(const struct report *r, FILE *f, bool colour)
{
	const char *bold = colour ? "\033[1m" : "", *plain = colour ? "\033[0m" : "";

	fprintf(f, "\n%sWhat became of every tick%s (%d CPUs, %u Hz)\n", bold, plain, r->cpus, r->frequency);
	print_outcomes(r, f);
	fprintf(f, "\n%sCost%s\n", bold, plain);
	print_cost(r, f);
	fprintf(f, "\n%sCounters%s\n", bold, plain);
	for (size_t i = 0; i < ARRAY_SIZE(stat_rows); i++)
		fprintf(f, "  %12llu  %s\n", stat_value(r, &stat_rows[i]), stat_rows[i].help);
}

static int add_lower(struct buf *out, const char *name)
{
	char lower[64];
	size_t i;

	for (i = 0; name[i] && i < sizeof(lower) - 1; i++)
		lower[i] = name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 'a' - 'A' : name[i];
	lower[i] = '\0';
	return buf_printf(out, "\"%s\"", lower);
}

static int json_outcomes(const struct report *r, struct buf *out)
{
	int err = buf_add_string(out, ",\n \"outcomes\": {");

	for (size_t i = 0; !err && i < ARRAY_SIZE(outcomes); i++) {
		err = buf_add_string(out, i ? ", " : "") ?: add_lower(out, outcomes[i].id);
		if (!err)
			err = buf_printf(out, ": %llu", r->kernel.sum.outcome[i]);
	}
	return err ?: buf_add_string(out, "}");
}

static int json_counters(const struct report *r, struct buf *out)
{
	int err = buf_add_string(out, ",\n \"counters\": {");

	for (size_t i = 0; !err && i < ARRAY_SIZE(stat_rows); i++)
		err = buf_printf(out, "%s\"%s\": %llu", i ? ", " : "", stat_rows[i].id, stat_value(r, &stat_rows[i]));
	return err ?: buf_add_string(out, "}");
}

int report_json(const struct report *r, struct buf *out)
{
	const struct kernel_stats *k = &r->kernel;
	struct books b = report_books(r);
	int err;

	err = buf_printf(out, "{\"ticks\": %llu, \"cpus\": %d, \"frequency\": %u, \"seconds\": %.3f, \"processes\": %zu",
			 b.ticks, r->cpus, r->frequency, r->seconds, r->processes);
	if (!err)
		err = json_outcomes(r, out);
	if (!err)
		err = json_counters(r, out);
	if (!err)
		err = buf_printf(out,
				 ",\n \"profile\": {\"samples\": %llu, \"nodes\": %llu}"
				 ",\n \"kernel\": {\"runs\": %llu, \"run_time_ns\": %llu, \"other_runs\": %llu, \"other_time_ns\": %llu}"
				 ",\n \"user\": {\"cpu_seconds\": %.6f, \"rss_bytes\": %zu, \"map_bytes\": %zu}"
				 ",\n \"lines\": {\"decodes\": %llu, \"locations\": %llu, \"codes\": %llu}}\n",
				 r->harvest.samples, r->harvest.nodes, k->runs, k->run_time_ns, k->other_runs,
				 k->other_time_ns, r->cpu_seconds, r->rss_bytes, r->map_bytes, r->codes.decodes,
				 r->harvest.locations, r->codes.codes);
	return err;
}
