// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_continuous.c - intervals over forged tables, one after the other: each ends at its mark, waits for
 * names but not for long, and every count is in the file of one interval, and pushed once.
 */
#include <errno.h>
#include <sys/stat.h>

#include "tests/forge/fail_malloc.h"
#include "tests/forge/http_server.h"
#include "tests/forge/test.h"
#include "tests/forge/windows.h"
#include "tests/forge/written.h"
#include "tests/forge/logged.h"

#include "base/clock.h"
#include "export/continuous.h"

#define PATIENCE 60 /* s; what is waited for takes no time where there is a CPU */
#define OK "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

static struct continuous *continuous;
static struct pod_label_names no_names;
static char url[64];

static int setup_continuous(void **state)
{
	int err = setup_windows(state) ?: make_folder();

	grow_tree();
	return err;
}

static int teardown_continuous(void **state)
{
	continuous_close(TAKE_PTR(continuous));
	assert_null(all.first); /* it has closed its windows */
	server_stop();
	return remove_folder() ?: teardown_windows(state);
}

static struct continuous_options to_files(double seconds)
{
	return (struct continuous_options){ .interval_seconds = seconds,
					    .output_dir = folder,
					    .pod_label_names = &no_names };
}

static struct continuous_options to_files_and_server(double seconds)
{
	struct continuous_options o = to_files(seconds);

	snprintf(url, sizeof(url), "pyroscope+http://127.0.0.1:%u", server.port);
	o.push = (struct push_options){ .url = url, .format = -1, .timeout_seconds = 60 };
	return o;
}

/* What is said. */
static const char *open_with(struct continuous_options o, int expected)
{
	const char *said;
	int err;

	said = LOGGED(err = continuous_open(&continuous, &o, &all));
	assert_int_equal(err, expected);
	return said;
}

/* A child writes them. */
static unsigned long long samples_of_last(int expected_files)
{
	const char *last;

	for (int ms = 0; ms < 60000 && count_files(NULL) < expected_files; ms += 10) {
		continuous_pass_on(continuous, false);
		usleep(10000);
	}
	assert_int_equal(count_files(&last), expected_files);
	return samples_of(last);
}

TEST(without_one)
{
	continuous_reload(NULL, NULL);
	continuous_close(NULL);
}

TEST(folders_are_looked_at_first)
{
	const char *said;
	int err;

	assert_int_equal(continuous_check(NULL), 0);
	assert_int_equal(continuous_check(folder), 0);
	assert_int_equal(count_files(NULL), 0);
	said = LOGGED(err = continuous_check("/nonexistent/below"));
	assert_int_equal(err, -ENOENT);
	assert_string_equal(said,
			    "pyperf-bpf: error: cannot write to folder '/nonexistent/below': the folder "
			    "above it is not there, and only the last one is made\n");
}

TEST(says_where_profiles_go)
{
	char expected[128];

	snprintf(expected, sizeof(expected), "pyperf-bpf: a profile every 60 s to %s\n", folder);
	assert_string_equal(open_with(to_files(60), 0), expected);
	assert_int_equal(continuous_fd(continuous), -1); /* nothing to wait for but time */
	continuous_close(TAKE_PTR(continuous));
	server_start(OK);
	assert_non_null(strstr(open_with(to_files_and_server(60), 0), " and the receiver\n"));
	assert_true(continuous_fd(continuous) >= 0);
}

TEST(not_before_its_time)
{
	open_with(to_files(1000), 0);
	assert_false(continuous_ends(continuous));
	nodes[27].count = 1;
	continuous_pass_on(continuous, false);
	assert_int_equal(count_files(NULL), 0);
	/* the clock may be set; a look each second */
	assert_in_range(continuous_timeout_ms(continuous), 1, 1000);
}

TEST(an_interval_ends_at_its_mark)
{
	open_with(to_files(0.05), 0);
	nodes[27].count = 5;
	usleep(60000);
	assert_int_equal(continuous_timeout_ms(continuous), 0);
	assert_true(continuous_ends(continuous));
	nodes[27].count = 105;
	usleep(60000);
	assert_false(continuous_ends(continuous)); /* the next one ends when this one is passed on */
	continuous_pass_on(continuous, false);
	assert_int_equal(samples_of_last(1), 5);
	usleep(20000);
	continuous_pass_on(continuous, false); /* once */
	assert_int_equal(count_files(NULL), 1);
	assert_true(continuous_ends(continuous));
	continuous_pass_on(continuous, false);
	assert_int_equal(samples_of_last(2), 100);
	while (continuous_stats(continuous)->files_written < 2)
		continuous_pass_on(continuous, false);
	assert_int_equal(continuous_stats(continuous)->files_written, 2);
}

/* Half a second; a busy machine may make it longer. */
TEST(waits_for_names_but_not_for_long)
{
	double marked;

	open_with(to_files(0.05), 0);
	usleep(60000);
	assert_true(continuous_ends(continuous));
	marked = clock_seconds();
	do {
		double now = clock_seconds();

		continuous_pass_on(continuous, true);
		assert_true(now - marked < 60);
		usleep(10000);
	} while (!count_files(NULL));
	assert_true(clock_seconds() - marked >= 0.5);
}

/* Of a machine that slept: one file, and the next interval ends when it would have. */
/* Before its time, and the next one is as long as any. Not while one waits for names. */
TEST(an_interval_is_cut_short)
{
	assert_true(continuous_cut(NULL));
	open_with(to_files(1000), 0);
	nodes[27].count++;
	assert_true(continuous_cut(continuous));
	assert_false(continuous_cut(continuous));
	nodes[27].count += 10;
	continuous_pass_on(continuous, false);
	assert_false(continuous_ends(continuous));
	assert_true(continuous_cut(continuous));
}

TEST(intervals_that_were_missed)
{
	double begin = clock_seconds();

	open_with(to_files(0.4), 0);
	nodes[27].count = 5;
	usleep(1000000);
	assert_true(continuous_ends(continuous));
	continuous_pass_on(continuous, false);
	assert_int_equal(samples_of_last(1), 5);
	if (!continuous_ends(continuous))
		return;
	assert_true(clock_seconds() - begin >= 1.2); /* somebody stopped this process */
}

TEST(the_end_passes_on_what_is_left)
{
	struct harvest_stats sum;

	open_with(to_files(0.05), 0);
	nodes[27].count = 5;
	usleep(60000);
	assert_true(continuous_ends(continuous)); /* and its names are still on their way */
	nodes[27].count = 105;
	assert_int_equal(continuous_finish(continuous, PATIENCE, &sum), 0);
	assert_int_equal(samples_of_last(2), 100);
	assert_int_equal(sum.samples[EVENT_CPU], 105);
}

TEST(the_last_profile_is_lost)
{
	struct harvest_stats sum;
	const char *said;
	int err;

	open_with(to_files(1000), 0);
	remove_folder();
	nodes[27].count = 5;
	said = LOGGED(err = continuous_finish(continuous, PATIENCE, &sum));
	assert_int_equal(err, -ENOENT);
	assert_non_null(strstr(said, "error: the last profile is lost\n"));
	assert_int_equal(sum.samples[EVENT_CPU], 0);
	assert_int_equal(mkdir(folder, 0700), 0);
}

/* The end of an interval, and its pushes until that many have arrived. */
static void end_and_push(unsigned int expected)
{
	while (!continuous_ends(continuous))
		usleep(10000);
	continuous_pass_on(continuous, false);
	while (continuous_stats(continuous)->pushed < expected) {
		struct pollfd fd = { .fd = continuous_fd(continuous), .events = POLLIN };

		poll(&fd, 1, continuous_timeout_ms(continuous));
		continuous_pass_on(continuous, false);
	}
	assert_int_equal(continuous_stats(continuous)->pushed, expected);
}

TEST(files_and_pushes)
{
	struct harvest_stats sum;

	server_start(OK);
	open_with(to_files_and_server(0.05), 0);
	nodes[27].count = 5;
	end_and_push(1);
	assert_int_equal(samples_of_last(1), 5);
	assert_int_equal(server_requests(), 1);
	assert_int_equal(continuous_finish(continuous, PATIENCE, &sum), 0);
	assert_int_equal(sum.samples[EVENT_CPU], 5); /* not twice */
}

/* To be quick, it has some time for what it does itself, as on a machine that is busy with others. */
TEST(no_time_for_the_last_profile)
{
	struct harvest_stats sum;

	server_start(OK);
	open_with(to_files_and_server(1000), 0);
	nodes[27].count = 5;
	assert_int_equal(continuous_finish(continuous, 0, &sum), 0);
	assert_int_equal(sum.samples[EVENT_CPU], 5);
	assert_int_equal(samples_of_last(1), 5);
	assert_int_equal(continuous_stats(continuous)->pushed, 1);
}

/* What one of them cannot do is no reason to keep it from the other. */
TEST(pushes_without_files)
{
	struct continuous_options o;
	struct harvest_stats sum;
	int err;

	server_start(OK);
	o = to_files_and_server(0.05);
	open_with(o, 0);
	remove_folder();
	nodes[27].count = 5;
	LOGGED({
		end_and_push(1);
		while (!continuous_stats(continuous)->files_failed) { /* a child tries to write it */
			usleep(1000);
			continuous_pass_on(continuous, false);
		}
	});
	LOGGED(err = continuous_finish(continuous, PATIENCE, &sum));
	assert_int_equal(err, -ENOENT);
	continuous_close(TAKE_PTR(continuous));
	o.output_dir = NULL;
	open_with(o, 0);
	nodes[27].count = 12;
	end_and_push(1);
	assert_int_equal(continuous_finish(continuous, PATIENCE, &sum), 0);
	assert_int_equal(sum.samples[EVENT_CPU], 7);
	assert_int_equal(server_requests(), 2);
	assert_int_equal(mkdir(folder, 0700), 0);
}

TEST(other_options_from_now_on)
{
	struct continuous_options o = to_files(1000);
	char other[128];

	open_with(o, 0);
	snprintf(other, sizeof(other), "%s/other", folder);
	assert_int_equal(mkdir(other, 0700), 0);
	o.output_dir = other;
	continuous_reload(continuous, &o);
	assert_in_range(continuous_timeout_ms(continuous), 1, 1000);
	o.interval_seconds = 0.05; /* begins anew */
	continuous_reload(continuous, &o);
	usleep(60000);
	nodes[27].count = 5;
	assert_true(continuous_ends(continuous));
	continuous_pass_on(continuous, false);
	strcat(folder, "/other");
	assert_int_equal(samples_of_last(1), 5);
	*strrchr(folder, '/') = '\0';
}

TEST(a_receiver_that_is_none)
{
	struct continuous_options o;
	const char *said;

	server_start(OK);
	o = to_files_and_server(0.05);
	open_with(o, 0);
	o.push.url = "gopher://x";
	said = LOGGED(continuous_reload(continuous, &o));
	assert_non_null(strstr(said, "warning: the receiver is as before: "));
	nodes[27].count = 5;
	end_and_push(1);
	continuous_close(TAKE_PTR(continuous));
	assert_non_null(strstr(open_with(o, -EINVAL), "error: profiles cannot be pushed: "));
	assert_null(continuous);
}

TEST(memory_runs_short)
{
	const struct continuous_options o = to_files(1000);
	int failures = 0, err;

	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	for (int n = 0;; n++) {
		LOGGED({
			allocations_left = n;
			err = continuous_open(&continuous, &o, &all);
			allocations_left = -1;
		});
		if (!err)
			break;
		assert_int_equal(err, -ENOMEM);
		assert_null(continuous);
		assert_null(all.first);
		failures++;
	}
	assert_true(failures >= 2);
}

static unsigned long long samples_of_all(void)
{
	struct dirent **names;
	unsigned long long sum = 0;
	int n = scandir(folder, &names, is_no_dot, alphasort);

	assert_true(n >= 0);
	for (int i = 0; i < n; i++) {
		sum += samples_of(names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return sum;
}

/* When memory is short: while an interval's file is made, at the end, or there with an interval to write. */
enum shortage { IN_INTERVAL, AT_END, WITH_INTERVAL_AT_END };

/* Of an interval and what comes after it. 0 or -errno of the end. */
static int run_short_of_memory(long n, enum shortage when, struct harvest_stats *ret_written)
{
	const struct export_stats *done = continuous_stats(continuous);
	int err;

	nodes[27].count += 5;
	while (!continuous_ends(continuous))
		usleep(1000);
	nodes[26].count += 30;
	allocations_left = when == IN_INTERVAL ? n : -1;
	while (when != WITH_INTERVAL_AT_END && !done->files_written && !done->files_failed) {
		continuous_pass_on(continuous, false);
		usleep(500);
	}
	nodes[27].count += 200;
	allocations_left = when == IN_INTERVAL ? -1 : n;
	err = continuous_finish(continuous, PATIENCE, ret_written);
	allocations_left = -1;
	return err;
}

static void begin_anew(void)
{
	continuous_close(TAKE_PTR(continuous));
	assert_int_equal(remove_folder(), 0);
	assert_int_equal(mkdir(folder, 0700), 0);
}

/* Whether it made a difference that the n-th allocation failed. */
static bool is_honest_without_memory(long n, enum shortage when)
{
	struct harvest_stats written;
	unsigned long long samples;
	const char *said;
	int err;

	open_with(to_files(0.02), 0);
	said = LOGGED(err = run_short_of_memory(n, when, &written));
	if (err == -ETIMEDOUT) { /* the machine is busy, and the end has a second only */
		begin_anew();
		return is_honest_without_memory(n, when);
	}
	samples = samples_of_all();
	assert_int_equal(written.samples[EVENT_CPU], samples);
	assert_int_equal(continuous_stats(continuous)->files_written, count_files(NULL));
	assert_true(!err == !strstr(said, "error: the last profile is lost\n"));
	assert_true(err ? samples <= 5 : samples == 235);
	assert_false(err && when == IN_INTERVAL);
	begin_anew();
	return *said;
}

/* Whichever allocation fails, every sample is in a file, or it is said that the last of them are lost. */
TEST(every_sample_is_written_or_said_to_be_lost)
{
	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	for (int how = 0; how < 6; how++) {
		long n = 0;

		fails_once = how & 1;
		while (is_honest_without_memory(n, how / 2))
			n++;
		assert_true(n > 10);
	}
	fails_once = false;
}

AROUND_EACH(setup_continuous, teardown_continuous);
AROUND_ALL(server_begin, NULL);
