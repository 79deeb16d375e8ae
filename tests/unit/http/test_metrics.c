// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_metrics.c - /metrics as Prometheus reads it, line by line, and each number where it comes from.
 */
#include "tests/forge/tables.h"
#include "tests/forge/test.h"
#include "tests/unit/http/client.h"
#include "tests/unit/kern/need_kernel.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/turn_times.h"
#include "http/metrics.h"
#include "http/route.h"
#include "kern/banks.h"
#include "kubelet/kubelet.h"
#include "names/jits.h"
#include "names/natives.h"
#include "profile/events.h"
#include "stats/books.h"
#include "stats/export_stats.h"
#include "stats/run_facts.h"
#include "tree/generation.h"
#include "tree/journal.h"
#include "tree/window.h"

static struct turn_times turns;
static const struct run_facts facts = { .frequency = 199, .cpus = 3, .turns = &turns };
static const struct export_stats exported = { .files_written = 66, .samples_dropped = 77 };
static const struct generation generation = { .count = 8 };
static struct windows windows;
static struct site site;
static struct metrics_view view;
static struct natives *natives;
static struct buf out;

static int setup_metrics(void **state)
{
	int err = setup(state);

	if (!err)
		err = natives_new(&natives);
	site = (struct site){
		.inputs = {
			.generation = &generation,
			.windows = &windows,
			.codes = codes,
			.registry = registry,
			.run = &facts,
		},
		.health = HEALTH_SAMPLING,
		.recent.history = { .count = 6, .bytes = 6000 },
		.answers = { .answers = 11, .refusals = 22 },
		.profiles = { .served = 33, .abandoned = 44, .open = 5 },
	};
	view = (struct metrics_view){ .site = &site, .questions = 9 };
	return err;
}

static int teardown_metrics(void **state)
{
	buf_free(&out);
	out = (struct buf){ 0 };
	natives_free(natives);
	return teardown(state);
}

static const char *text(void)
{
	need_kernel();
	site.inputs.kernel = kernel;
	buf_free(&out);
	out = (struct buf){ 0 };
	assert_int_equal(metrics_text(&view, &out), 0);
	assert_int_equal(buf_add(&out, "", 1), 0);
	return out.data;
}

/* The first line is a comment. */
static bool has_line(const char *line)
{
	char whole[256];

	snprintf(whole, sizeof(whole), "\n%s\n", line);
	return strstr(out.data, whole);
}

TEST(the_log)
{
	struct journal journal = { .begin_ns = clock_ns() - 90 * NS_PER_SECOND, .samples = 1234, .lost = 56,
				   .blocks = 2, .block_bytes = 1000 };
	const char *seconds;

	text();
	assert_null(strstr(out.data, "pyperf_log_"));
	view.journal = &journal;
	text();
	assert_true(has_line("pyperf_log_samples_total 1234"));
	assert_true(has_line("pyperf_log_lost_total 56"));
	assert_true(has_line("pyperf_log_bytes 2000"));
	seconds = strstr(out.data, "\npyperf_log_seconds ");
	assert_non_null(seconds);
	assert_in_range(atoi(strchr(seconds, ' ')), 90, 900);
}

TEST(numbers)
{
	static const char *const lines[] = {
		"pyperf_build_info{version=\"" PYPERF_VERSION "\"} 1",
		"pyperf_sampling 1",
		"pyperf_frequency_hertz 199",
		"pyperf_cpus 3",
		"pyperf_generations_total 8",
		"pyperf_questions_pending 9",
		"pyperf_processes_live 1",
		"pyperf_processes_known 2",
		"pyperf_code_objects 2",
		"pyperf_intervals_kept 6",
		"pyperf_intervals_kept_bytes 6000",
		"pyperf_http_answers_total 11",
		"pyperf_http_refusals_total 22",
		"pyperf_profiles_served_total 33",
		"pyperf_profiles_abandoned_total 44",
		"pyperf_profile_requests_open 5",
		"pyperf_resident_bytes{process=\"worker\"} 0",
		"pyperf_resident_bytes{process=\"parser\"} 0",
		"pyperf_ticks_total 0",
		"# TYPE pyperf_ticks_total counter",
		"# TYPE pyperf_cpus gauge",
	};

	registry_end(registry, 2);
	text();
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (!has_line(lines[i]))
			fail_msg("there is no line '%s'", lines[i]);
	site.health = HEALTH_ENDING;
	text();
	assert_true(has_line("pyperf_sampling 0"));
}

/* What is taken is what is given back some day; a run without native code has no such lines. */
TEST(native_names)
{
	struct code_map map = { 0x1000, 0x2000, 0, { 1, 2, 4097, 3, 4 }, "/lib", false, false, 0 };
	__u64 position;
	__u32 file;

	text();
	assert_null(strstr(out.data, "pyperf_native_files"));
	assert_int_equal(natives_file(natives, &map, &file), 0);
	assert_int_equal(jits_region(natives_jits(natives), 7, 8, 0x10000, 0x13000, &position), 0);
	site.inputs.natives = natives;
	text();
	assert_true(has_line("pyperf_native_files 1"));
	assert_true(has_line("pyperf_native_regions 1"));
	assert_true(has_line("pyperf_native_positions 20480"));
	assert_true(has_line("pyperf_native_name_bytes 0"));
	assert_true(has_line("pyperf_native_table_refused_total 0"));
}

static bool every(void *context, struct registry_entry *e)
{
	(void)context;
	return e->ended;
}

/* Those that came and went are no memory any more. */
TEST(forgotten_processes_are_not_held)
{
	registry_end(registry, 2);
	registry_forget(registry, every, NULL);
	text();
	assert_true(has_line("pyperf_processes_known 1"));
	assert_true(has_line("pyperf_processes_live 1"));
}

static double number_of(const char *metric)
{
	const char *found = strstr(out.data, metric);

	assert_non_null(found);
	return strtod(found + strlen(metric), NULL);
}

TEST(of_this_process)
{
	view.worker = view.parser = getpid();
	view.worker_seconds = 1000;
	text();
	assert_true(number_of("\npyperf_resident_bytes{process=\"profiler\"} ") > 100000);
	assert_true(number_of("\npyperf_resident_bytes{process=\"worker\"} ") > 100000);
	assert_true(number_of("\npyperf_resident_bytes{process=\"parser\"} ") > 100000);
	assert_true(number_of("\npyperf_map_bytes ") == kernel_tables(kernel)->map_bytes);
	assert_true(number_of("\npyperf_cpu_seconds_total ") >= 1000);
}

/* Of each kind of event, its own outcomes and no others. */
TEST(outcomes)
{
	int places = 0;

	text();
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		for (int i = 0; i < OUTCOME_COUNT; i++) {
			char line[160], id[OUTCOME_ID_MAX];

			snprintf(line, sizeof(line), "pyperf_%soutcomes_total{outcome=\"%s\",place=\"%s\"} 0",
				 event_rows[kind].prefix, outcome_id(i, id),
				 place_name(outcome_rows[i].place));
			if (has_line(line) != event_has_outcome(kind, i))
				fail_msg("%s", line);
			places += has_line(line);
		}
	assert_true(places >= OUTCOME_COUNT);
}

/* Each bound counts all turns below it. */
TEST(turns_of_the_loop)
{
	static const char *const lines[] = {
		"# TYPE pyperf_loop_turn_seconds histogram",
		"pyperf_loop_turn_seconds_bucket{le=\"0.000064\"} 1",
		"pyperf_loop_turn_seconds_bucket{le=\"0.000128\"} 2",
		"pyperf_loop_turn_seconds_bucket{le=\"0.065536\"} 2",
		"pyperf_loop_turn_seconds_bucket{le=\"0.131072\"} 3",
		"pyperf_loop_turn_seconds_bucket{le=\"8.388608\"} 3",
		"pyperf_loop_turn_seconds_bucket{le=\"+Inf\"} 4",
		"pyperf_loop_turn_seconds_sum 20.0901",
		"pyperf_loop_turn_seconds_count 4",
		"pyperf_loop_turn_seconds_max 20",
		"pyperf_loop_turn_own_seconds_max 0.07",
		"pyperf_loop_turn_cpu_seconds_max 0.04",
	};

	turns = (struct turn_times){};
	turn_times_add(&turns, 0, 0, 0);
	turn_times_add(&turns, 100000, 90000, 0);
	turn_times_add(&turns, 90000000, 40000000, 20000000);
	turn_times_add(&turns, 20 * NS_PER_SECOND, 30000000, 19950000000);
	text();
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (!has_line(lines[i]))
			fail_msg("there is no line '%s'", lines[i]);
}

TEST(only_where_there_is_one)
{
	struct kubelet_options o = { .url = "https://127.0.0.1:1", .token_file = "/nonexistent" };
	struct kubelet *kubelet;

	text();
	assert_null(strstr(out.data, "files_written"));
	assert_null(strstr(out.data, "kubelet"));
	assert_int_equal(kubelet_open(&kubelet, &o), 0);
	view.export = &exported;
	site.inputs.kubelet = kubelet;
	text();
	assert_true(has_line("pyperf_files_written_total 66"));
	assert_true(has_line("pyperf_samples_dropped_total 77"));
	assert_true(has_line("pyperf_kubelet_requests_total 0"));
	assert_true(has_line("pyperf_kubelet_pods 0"));
	kubelet_close(kubelet);
}

/* What a value of that type may have behind the name of its family. */
static bool is_suffix(const char *type, const char *suffix, size_t n)
{
	static const char *const of_histograms[] = { "_bucket", "_sum", "_count" };

	if (strcmp(type, "histogram"))
		return n == 0;
	for (size_t i = 0; i < ARRAY_SIZE(of_histograms); i++)
		if (n == strlen(of_histograms[i]) && !strncmp(suffix, of_histograms[i], n))
			return true;
	return false;
}

/* Prometheus's text format: one HELP and one TYPE, of the same name, before the values of each family. */
TEST(format)
{
	char name[128] = "", type[16] = "", typed[128], seen[1 << 16] = "\n";
	int values = 1, families = 0;

	view.export = &exported;
	text();
	for (char *line = strtok(out.data, "\n"); line; line = strtok(NULL, "\n")) {
		size_t n = strcspn(line, "{ ");

		if (sscanf(line, "# HELP %127s", name) == 1) {
			char entry[130];

			assert_true(values > 0); /* none without a value */
			snprintf(entry, sizeof(entry), "\n%s\n", name);
			assert_null(strstr(seen, entry));
			assert_true(strlen(seen) + strlen(entry) < sizeof(seen));
			strcat(seen, entry + 1);
			values = 0;
			families++;
		} else if (sscanf(line, "# TYPE %127s %15s", typed, type) == 2) {
			assert_string_equal(typed, name);
			assert_true(!strcmp(type, "counter") || !strcmp(type, "gauge") ||
				    !strcmp(type, "histogram"));
			n = strlen(name) - strlen("_total");
			assert_int_equal(!strcmp(type, "counter"), !strcmp(name + n, "_total"));
		} else {
			char *end;

			assert_int_equal(strncmp(line, name, strlen(name)), 0);
			assert_true(is_suffix(type, line + strlen(name), n - strlen(name)));
			assert_non_null(strrchr(line, ' '));
			strtod(strrchr(line, ' ') + 1, &end);
			assert_int_equal(*end, '\0');
			values++;
		}
	}
	assert_true(families > 40 && values > 0);
}

static enum MHD_Result metrics(const struct client *c)
{
	return metrics_answer(&view, c);
}

TEST(over_http)
{
	answer_function *answer = metrics;
	const char *a;

	text();
	start_server(answer_at_once, &answer, NULL);
	a = ask(GET("/metrics"));
	stop_server();
	assert_int_equal(status_of(a), 200);
	assert_true(has_header(a, "Content-Type: text/plain; version=0.0.4; charset=utf-8"));
	assert_int_equal(strncmp(body_of(a), "# HELP pyperf_build_info ", 25), 0);
}

AROUND_EACH(setup_metrics, teardown_metrics);
AROUND_ALL(NULL, close_kernel);
