// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_finish.c - the end of a run of the real kernel side, whose ticks have stopped: the profile, the
 * summary and the books, each where the options say, and all of the same ticks. Needs the right to load BPF.
 */
#include <errno.h>
#include <sys/stat.h>

#include "tests/unit/kern/open_kernel.h"
#include "tests/forge/written.h"
#include "tests/forge/logged.h"

#include "base/clock.h"
#include "kern/banks.h"
#include "run/agent.h"
#include "run/finish.h"
#include "targets/registry.h"

static struct options options;
static struct agent agent;
static char output[128], books[128]; /* paths */

static int setup(void **state)
{
	(void)state;
	options = (struct options){ 0 };
	agent = (struct agent){
		.options = &options,
		.facts = { .seconds = 1, .frequency = 997, .cpus = 1 },
		.loop = { .signals = -1 },
	};
	if (make_folder())
		return -1;
	snprintf(output, sizeof(output), "%s/p.pb.gz", folder);
	snprintf(books, sizeof(books), "%s/books.json", folder);
	return codes_new(&agent.codes, 0) ?: registry_new(&agent.registry);
}

static int teardown_all(void **state)
{
	window_close(agent.window);
	continuous_close(agent.continuous);
	registry_free(agent.registry);
	codes_free(agent.codes);
	options_free(&options);
	return remove_folder() ?: teardown(state);
}

static void parse(char **arguments)
{
	static char *kept[16];
	char error[256];
	int n = 0;

	for (; arguments[n]; n++)
		kept[n] = arguments[n];
	kept[n] = NULL;
	options_free(&options);
	if (options_parse(&options, n, kept, error, sizeof(error)))
		fail_msg("%s", error);
}

#define ACCEPT(...) parse((char *[]){ (char *)"pyperf-bpf", __VA_ARGS__, NULL })

/* This process, as a Python of an unknown layout: each of its ticks is a sample with a marker. */
static void watch_self(void)
{
	struct record_process listed = find_process(kernel, getpid());
	struct process self = {
		.start_time = listed.start_time, .exec_id = listed.exec_id, .state = PROCESS_NO_LAYOUT,
		.known = clock_boot_ns(),
	};
	struct registry_entry e = { .pid = getpid(), .binary = "", .build_id = "", .layout = -1 };

	e.id = self.id = kernel_new_process_id(kernel);
	assert_int_equal(kernel_set_process(kernel, getpid(), &self), 0);
	assert_int_equal(registry_add(agent.registry, &e), 0);
}

/* A run with the options that were parsed, until its ticks have stopped. */
static void sample_a_moment(void)
{
	struct kernel_options k = selected;
	struct continuous_options c = settings_continuous(&options);

	k.frequency = 997;
	kernel = agent.kernel = open_kernel(k);
	agent.windows = (struct windows){
		.inputs = {
			.tables = kernel_tables(kernel),
			.codes = agent.codes,
			.registry = agent.registry,
		},
		.events = EVENT_BIT(EVENT_CPU),
		.frequency = 997,
	};
	if (options.continuous)
		LOGGED(assert_int_equal(continuous_open(&agent.continuous, &c, &agent.windows), 0));
	else
		assert_int_equal(window_open(&agent.windows, &agent.window), 0);
	watch_self();
	start(kernel);
	burn(0.1);
	kernel_stop(kernel);
}

static __u64 sampled(void)
{
	struct kernel_stats s;

	kernel_stats(kernel, &s);
	assert_true(s.sum.outcome[EVENT_CPU][OUTCOME_NO_LAYOUT] > 10);
	return s.sum.outcome[EVENT_CPU][OUTCOME_NO_LAYOUT];
}

static struct buf printed; /* on stdout */

/* What is logged. */
static const char *finish(int expected)
{
	int saved = dup(STDOUT_FILENO), err;
	const char *said;

	fflush(stdout);
	assert_non_null(freopen(path_of("stdout"), "we", stdout));
	said = LOGGED(err = finish_write(&agent));
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	assert_int_equal(err, expected);
	buf_free(&printed);
	read_file("stdout", &printed);
	assert_int_equal(buf_add(&printed, "", 1), 0);
	return said;
}

TEST(profile_and_summary)
{
	const char *said;

	ACCEPT("-a", "-o", output);
	sample_a_moment();
	said = finish(0);
	assert_int_equal(samples_of("p.pb.gz"), sampled());
	assert_non_null(strstr(printed.data, "[unsupported Python]"));
	assert_null(strstr(printed.data, "\nCounters\n")); /* is for --stats */
	assert_non_null(strstr(said, "wrote "));
	assert_non_null(strstr(said, "go tool pprof"));
}

/* They are of the same ticks, and add up. */
TEST(books_beside_the_profile)
{
	_cleanup_buf_ struct buf json = { 0 };
	struct kernel_stats s;
	char line[64];

	ACCEPT("-a", "-o", output, "--stats", "--stats-json", books);
	sample_a_moment();
	finish(0);
	kernel_stats(kernel, &s);
	read_file("books.json", &json);
	assert_int_equal(buf_add(&json, "", 1), 0);
	snprintf(line, sizeof(line), "\"ticks\": %llu", s.sum.ticks);
	assert_non_null(strstr(json.data, line));
	snprintf(line, sizeof(line), "\"no_layout\": %llu", (unsigned long long)samples_of("p.pb.gz"));
	assert_non_null(strstr(json.data, line));
	assert_non_null(strstr(json.data, "\"processes\": 1"));
	assert_non_null(strstr(printed.data, "\nCounters\n"));
}

/* stdout is the profile's then: the rest goes to stderr, and nobody is told how to open what has no name. */
TEST(a_profile_on_stdout)
{
	const char *said;

	ACCEPT("-a", "-o", "-", "--stats");
	sample_a_moment();
	said = finish(0);
	assert_int_equal(samples_of("stdout"), sampled());
	assert_non_null(strstr(said, "[unsupported Python]"));
	assert_non_null(strstr(said, "ticks"));
	assert_null(strstr(said, "wrote"));
}

/* It is COMMAND's as well. */
TEST(a_command_that_prints)
{
	ACCEPT("-o", output, "--", "true");
	sample_a_moment();
	assert_non_null(strstr(finish(0), "[unsupported Python]"));
	assert_string_equal(printed.data, "");
}

TEST(profile_that_cannot_be_written)
{
	ACCEPT("-a", "-o", "/nonexistent/p", "--stats-json", books);
	sample_a_moment();
	assert_non_null(strstr(finish(-ENOENT), "cannot write '/nonexistent/p'"));
	assert_int_equal(access(books, F_OK), -1);
}

/* A month of intervals is in the books, if the last one's folder is gone: they are written all the same. */
TEST(last_interval_that_is_lost)
{
	_cleanup_buf_ struct buf json = { 0 };
	char intervals[128];

	snprintf(intervals, sizeof(intervals), "%s/d", folder);
	assert_int_equal(mkdir(intervals, 0700), 0);
	ACCEPT("-a", "--output-dir", intervals, "--stats-json", books);
	sample_a_moment();
	assert_int_equal(rmdir(intervals), 0);
	assert_non_null(strstr(finish(-ENOENT), "the last profile is lost"));
	read_file("books.json", &json);
	assert_int_equal(buf_add(&json, "", 1), 0);
	assert_non_null(strstr(json.data, "\"files_failed\": 1"));
}

TEST(intervals)
{
	_cleanup_buf_ struct buf json = { 0 };
	const char *last;

	ACCEPT("-a", "--output-dir", folder, "--stats-json", "/dev/null");
	sample_a_moment();
	assert_int_equal(count_files(NULL), 0);
	finish(0);
	assert_int_equal(unlink(path_of("stdout")), 0);
	assert_int_equal(count_files(&last), 1);
	assert_int_equal(samples_of(last), sampled());
}

/* --- before anything is sampled ------------------------------------------------------------------------- */

static int check_result;

static const char *check(void)
{
	return LOGGED(check_result = finish_check(&agent));
}

TEST(files_are_tried_first)
{
	ACCEPT("-a", "-o", output, "--stats-json", books);
	assert_string_equal(check(), "");
	assert_int_equal(check_result, 0);
	assert_int_equal(count_files(NULL), 0);
	ACCEPT("-a", "-o", "/nonexistent/p");
	assert_non_null(strstr(check(), "cannot write '/nonexistent/p'"));
	assert_int_equal(check_result, -ENOENT);
	ACCEPT("-a", "-o", output, "--stats-json", "/nonexistent/s");
	assert_non_null(strstr(check(), "cannot write '/nonexistent/s'"));
	assert_int_equal(check_result, -ENOENT);
	ACCEPT("-a", "--output-dir", "/nonexistent/below");
	assert_non_null(strstr(check(), "cannot write to folder '/nonexistent/below'"));
	assert_int_equal(check_result, -ENOENT);
	ACCEPT("-a", "--push", "parca+http://h", "--stats-json", "-");
	assert_string_equal(check(), "");
	assert_int_equal(check_result, 0);
}

static int end(void **state)
{
	(void)state;
	buf_free(&printed);
	return 0;
}

AROUND_EACH(setup, teardown_all);
AROUND_ALL(NULL, end);
