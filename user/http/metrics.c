// SPDX-License-Identifier: GPL-2.0-only
#include "http/metrics.h"

#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/turn_times.h"
#include "export/log_file.h"
#include "http/route.h"
#include "kern/banks.h"
#include "kern/cpu_ticks.h"
#include "kern/stats.h"
#include "kern/trigger.h"
#include "kubelet/kubelet.h"
#include "names/codes.h"
#include "names/natives.h"
#include "names/routes.h"
#include "stats/books.h"
#include "stats/run_facts.h"
#include "stats/run_stats.h"
#include "targets/registry.h"
#include "tree/generation.h"
#include "tree/journal.h"
#include "tree/window.h"

/* The first failure stays in err, so that a metric is a line. */
struct metrics_page {
	struct buf *text;
	int err;
};

static void family(struct metrics_page *p, const char *name, const char *type, const char *help)
{
	if (!p->err)
		p->err = buf_printf(p->text, "# HELP pyperf_%s %s\n# TYPE pyperf_%s %s\n", name, help, name,
				    type);
}

static void value(struct metrics_page *p, const char *name, double number)
{
	p->err = p->err ?: buf_printf(p->text, "pyperf_%s %.15g\n", name, number);
}

static void labelled(struct metrics_page *p, const char *name, const char *key, const char *label,
		     double number)
{
	p->err = p->err ?: buf_printf(p->text, "pyperf_%s{%s=\"%s\"} %.15g\n", name, key, label, number);
}

static void gauge(struct metrics_page *p, const char *name, const char *help, double number)
{
	family(p, name, "gauge", help);
	value(p, name, number);
}

static void counter(struct metrics_page *p, const char *name, const char *help, double number)
{
	family(p, name, "counter", help);
	value(p, name, number);
}

static void add_outcome_metric(struct metrics_page *p, const struct cpu_stats *sum, enum event_kind kind)
{
	const struct event_row *e = &event_rows[kind];
	char name[64], help[160], id[OUTCOME_ID_MAX];

	snprintf(name, sizeof(name), "%soutcomes_total", e->prefix);
	snprintf(help, sizeof(help),
		 "What became of every %s. Those with place=\"outside\" are in no profile. They add up to "
		 "pyperf_%s_total.",
		 e->noun, e->total_name);
	family(p, name, "counter", help);
	for (int i = 0; !p->err && i < OUTCOME_COUNT; i++)
		if (event_has_outcome(kind, i))
			p->err = buf_printf(p->text, "pyperf_%s{outcome=\"%s\",place=\"%s\"} %llu\n", name,
					    outcome_id(i, id), place_name(outcome_rows[i].place),
					    sum->outcome[kind][i]);
}

static void add_natives(struct metrics_page *p, const struct cpu_stats *sum)
{
	char id[OUTCOME_ID_MAX];

	family(p, "native_total", "counter",
	       "Where samples were in native code, with --native. They add up to those in profiles.");
	for (int i = 0; i < NATIVE_ENDS; i++)
		labelled(p, "native_total", "end", native_id(i, id), sum->native[i]);
}

static void add_stats(struct metrics_page *p, const struct cpu_stats *sum)
{
	for (size_t i = 0; i < stat_row_count; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s_total", stat_rows[i].id);
		counter(p, name, stat_rows[i].help, stat_value(sum, stat_rows[i].offset));
	}
}

static void add_kernel(struct metrics_page *p, const struct kernel_stats *k, __u64 expected)
{
	counter(p, "ticks_expected_total",
		"Ticks that there should have been; 0 where that cannot be known. For perf events by the "
		"kernel's account of busy time, which is some percent off.",
		expected);
	gauge(p, "tick_max_seconds", "The longest that a tick has taken.", k->sum.time_max / 1e9);
	family(p, "kernel_seconds_total", "counter",
	       "Run time of the BPF programs. Divided by the runs: what one of them took. Those of forks, "
	       "execs and exits are measured with --stats only.");
	labelled(p, "kernel_seconds_total", "program", "sampler", k->run_time_ns / 1e9);
	if (k->other_runs)
		labelled(p, "kernel_seconds_total", "program", "lifecycle", k->other_time_ns / 1e9);
	family(p, "kernel_runs_total", "counter",
	       "Runs of the BPF programs: ticks, and forks, execs and exits.");
	labelled(p, "kernel_runs_total", "program", "sampler", k->runs);
	if (k->other_runs)
		labelled(p, "kernel_runs_total", "program", "lifecycle", k->other_runs);
}

/* Places where ticks were lost. The kernel drops some for other BPF programs, and counts these nowhere. */
static void add_cpus(struct metrics_page *p, const struct cpu_ticks *ticks)
{
	static const char *const names[] = { "cpu_ticks_total", "cpu_ticks_expected_total" };
	static const char *const help[] = {
		"Ticks of each CPU, as of the last second.",
		"Ticks that each CPU should have had by then, like pyperf_ticks_expected_total.",
	};
	char cpu[16];

	for (int n = 0; n < 2; n++) {
		bool any = false;

		for (int i = 0; i < cpu_ticks_count(ticks); i++) {
			double expected;
			__u64 came;

			if (!cpu_ticks_get(ticks, i, &came, &expected))
				continue;
			if (!any)
				family(p, names[n], "counter", help[n]);
			any = true;
			snprintf(cpu, sizeof(cpu), "%d", i);
			labelled(p, names[n], "cpu", cpu, n ? (__u64)expected : came);
		}
	}
}

/* A bound for each octave: 2^6 us, 2^7 us and so on up to 8 s. */
static void add_turns(struct metrics_page *p, const struct turn_times *t)
{
	__u64 below = 0;
	__u32 i = 0;

	family(p, "loop_turn_seconds", "histogram",
	       "Turns of the event loop without the waiting. As long as one lasts nobody is answered.");
	for (__u32 octave = 6; !p->err && octave <= 23; octave++) {
		for (; i < 4 * octave; i++)
			below += t->turns[i];
		p->err = buf_printf(p->text, "pyperf_loop_turn_seconds_bucket{le=\"%.6f\"} %llu\n",
				    (1 << octave) / 1e6, below);
	}
	labelled(p, "loop_turn_seconds_bucket", "le", "+Inf", t->count);
	value(p, "loop_turn_seconds_sum", t->sum_ns / 1e9);
	value(p, "loop_turn_seconds_count", t->count);
	gauge(p, "loop_turn_seconds_max", "The longest turn of the event loop so far.", t->max_ns / 1e9);
	gauge(p, "loop_turn_own_seconds_max",
	      "The longest turn so far without the time for which it waited for a CPU.", t->own_max_ns / 1e9);
	gauge(p, "loop_turn_cpu_seconds_max", "The most CPU time of one turn so far.", t->cpu_max_ns / 1e9);
}

static double resident_bytes(pid_t pid)
{
	_cleanup_fclose_ FILE *f = NULL;
	unsigned long pages;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/statm", pid);
	f = fopen(path, "re");
	if (!f || fscanf(f, "%*u %lu", &pages) != 1)
		return 0;
	return (double)pages * sysconf(_SC_PAGESIZE);
}

static void add_self(struct metrics_page *p, const struct metrics_view *v)
{
	const struct http_inputs *in = &v->site->inputs;

	counter(p, "cpu_seconds_total", "CPU time of the profiler's processes in user space.",
		run_stats_cpu_so_far() + v->worker_seconds - in->run->command_seconds);
	family(p, "resident_bytes", "gauge", "Memory of the profiler's processes.");
	labelled(p, "resident_bytes", "process", "profiler", resident_bytes(getpid()));
	labelled(p, "resident_bytes", "process", "worker", v->worker ? resident_bytes(v->worker) : 0);
	labelled(p, "resident_bytes", "process", "parser", v->parser ? resident_bytes(v->parser) : 0);
	gauge(p, "map_bytes", "Memory of the kernel side's tables.", kernel_tables(in->kernel)->map_bytes);
}

static void add_targets(struct metrics_page *p, const struct metrics_view *v)
{
	const struct http_inputs *in = &v->site->inputs;
	const struct codes_stats *codes = codes_get_stats(in->codes);
	size_t live = 0;

	registry_count(in->registry, &live);
	gauge(p, "processes_live", "Processes that are profiled and running.", live);
	gauge(p, "processes_known", "Processes held in memory, ended ones included.",
	      registry_held(in->registry));
	gauge(p, "processes_not_looked_at",
	      "Processes that could not be looked at, ended ones included: what they did is in no profile.",
	      registry_count_unlooked(in->registry));
	gauge(p, "code_objects", "Code objects held in memory.", codes->codes);
	gauge(p, "code_bytes", "Memory of the code objects.", codes->bytes);
	counter(p, "line_decodes_total", "Line tables searched.", codes->decodes);
	counter(p, "lines_missing_total", "Lines shown as 0, since the line table was not there yet.",
		codes->missing);
	gauge(p, "questions_pending",
	      "Questions about processes and code that the worker has not answered yet.", v->questions);
}

static void add_native_names(struct metrics_page *p, const struct natives *n)
{
	struct natives_stats s = natives_get_stats(n);

	gauge(p, "native_files", "Files with code that processes have mapped, and those not yet given back.",
	      s.files);
	gauge(p, "native_regions", "Ranges of memory with code of no file, and those not yet given back.",
	      s.regions);
	gauge(p, "native_positions", "Bytes of the text space that they take.", s.positions);
	gauge(p, "native_name_bytes", "Memory of the names of their functions.", s.name_bytes);
	counter(p, "native_table_refused_total",
		"Times a user or container had its share of the table of native code (--native-memory).",
		s.table_refused);
}

static void add_export(struct metrics_page *p, const struct export_stats *e)
{
#define EXPORT_STAT(name, help) counter(p, #name "_total", help, e->name);
#include "stats/export_stats.def"
#undef EXPORT_STAT
}

static void add_log(struct metrics_page *p, const struct journal *j)
{
	const __u64 now = clock_ns(), oldest = journal_oldest(j);

	counter(p, "log_samples_total", "Samples that the log has noted (--log).", j->samples);
	counter(p, "log_lost_total", "Samples that it has not, as they came faster than they were read.",
		j->lost);
	gauge(p, "log_bytes", "Memory of the log.", journal_bytes(j));
	gauge(p, "log_seconds", "How far back it reaches.", now > oldest ? (now - oldest) / 1e9 : 0);
}

static void add_routes(struct metrics_page *p, const struct routes *r)
{
	const struct route_counts c = routes_counts(r);

	counter(p, "trace_routes_found_total", "Spans whose route was read (--trace).", c.found);
	counter(p, "trace_routes_none_total", "Those that had none as long as they were looked at.", c.none);
	counter(p, "trace_routes_gone_total", "Those that had ended before they were looked at.", c.gone);
	counter(p, "trace_routes_torn_total", "Those that changed each time they were looked at.", c.torn);
	counter(p, "trace_routes_left_total", "Those that there was no room for.", c.left);
	counter(p, "trace_routes_forgotten_total", "Those that made room for others before their time.",
		c.forgotten);
	gauge(p, "trace_routes_spans", "Spans whose route is kept.", routes_spans(r));
	gauge(p, "trace_routes_texts", "Different routes of them, for each user.", routes_texts(r));
}

static void add_log_file(struct metrics_page *p, const struct log_file *l)
{
	counter(p, "log_files_written_total", "Times the log was written into a file (--log-file).",
		l->written);
	counter(p, "log_files_failed_total", "Times that it could not be.", l->failed);
}

static void add_kubelet(struct metrics_page *p, const struct kubelet *k)
{
	struct kubelet_stats s = kubelet_get_stats(k);

	counter(p, "kubelet_requests_total", "Requests to the kubelet for the labels of pods.", s.requests);
	counter(p, "kubelet_failures_total", "Those of them that failed.", s.failures);
	gauge(p, "kubelet_pods", "Pods in the kubelet's last answer.", s.pods);
}

static void add_history(struct metrics_page *p, const struct history *h)
{
	gauge(p, "intervals_kept", "Intervals that the page can show.", h->count);
	gauge(p, "intervals_kept_bytes", "Their memory.", h->bytes);
}

static void add_http(struct metrics_page *p, const struct site *s)
{
	const struct profile_requests *profiles = &s->profiles;

	counter(p, "http_answers_total", "HTTP requests answered.", s->answers.answers);
	counter(p, "http_refusals_total", "HTTP requests refused: status 400 or above.", s->answers.refusals);
	counter(p, "profiles_served_total", "Profiles sent to clients.", profiles->served);
	counter(p, "profiles_abandoned_total", "Profile requests whose client went away.",
		profiles->abandoned);
	gauge(p, "profile_requests_open", "Profile requests under way.", profiles->open);
}

int metrics_text(const struct metrics_view *v, struct buf *out)
{
	const struct http_inputs *in = &v->site->inputs;
	struct kernel_stats k = {};
	struct metrics_page p = { .text = out };

	kernel_stats(in->kernel, &k);
	family(&p, "build_info", "gauge", "The version, as a label.");
	labelled(&p, "build_info", "version", PYPERF_VERSION, 1);
	family(&p, "trigger_info", "gauge", "What makes the samples, as a label: perf, timer or outside.");
	labelled(&p, "trigger_info", "trigger", trigger_name(kernel_trigger(in->kernel)), 1);
	gauge(&p, "sampling", "1 while ticks are taken.", v->site->health == HEALTH_SAMPLING);
	gauge(&p, "frequency_hertz", "Ticks asked for per second of each CPU.", in->run->frequency);
	gauge(&p, "budget_ratio", "Part of each CPU that samples may cost (--budget); 0 = no limit.",
	      in->run->budget);
	gauge(&p, "cpus", "CPUs that tick.", in->run->cpus);
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		add_outcome_metric(&p, &k.sum, kind);
	add_natives(&p, &k.sum);
	add_stats(&p, &k.sum);
	counter(&p, "generations_total", "Times half of the tables was full, or nearly, and emptied.",
		in->generation->count);
	add_kernel(&p, &k, kernel_expected(in->kernel));
	add_cpus(&p, kernel_cpu_ticks(in->kernel));
	add_self(&p, v);
	if (in->run->turns)
		add_turns(&p, in->run->turns);
	add_targets(&p, v);
	if (in->natives)
		add_native_names(&p, in->natives);
	if (v->export)
		add_export(&p, v->export);
	if (v->journal)
		add_log(&p, v->journal);
	if (v->journal && v->journal->routes)
		add_routes(&p, v->journal->routes);
	if (in->log_file && in->log_file->path)
		add_log_file(&p, in->log_file);
	if (in->kubelet)
		add_kubelet(&p, in->kubelet);
	counter(&p, "more_endpoints_total",
		"Stacks of profiles whose endpoint was one too many (--by endpoint).",
		in->windows->more_endpoints);
	add_history(&p, &v->site->recent.history);
	add_http(&p, v->site);
	return p.err;
}

enum MHD_Result metrics_answer(const struct metrics_view *v, const struct client *c)
{
	_cleanup_buf_ struct buf out = {};
	int err = metrics_text(v, &out);

	return err ? answer_failure(c, err) :
		     answer_buf(c, MHD_HTTP_OK, "text/plain; version=0.0.4; charset=utf-8", &out);
}
