// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_progress.c - the line on the terminal: what it says of a real kernel side, how seldom it is written,
 * and that nothing of it stays. Needs the right to load BPF.
 */
#include "tests/forge/test.h"
#include "tests/unit/kern/open_kernel.h"
#include "tests/forge/logged.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "profile/events.h"
#include "stats/progress.h"
#include "targets/registry.h"

#define ERASE "\r\033[K" /* to the beginning of the line, and nothing behind it */

static struct progress progress;
static struct run_facts run;
static struct registry *registry;

static int setup(void **state)
{
	(void)state;
	progress = (struct progress){ .wanted = true };
	run = (struct run_facts){ .start = clock_seconds() - 1000, .frequency = 199, .cpus = 3,
				  .events = EVENT_BIT(EVENT_CPU) };
	return registry_new(&registry);
}

static int teardown_all(void **state)
{
	registry_free(TAKE_PTR(registry));
	return teardown(state);
}

static const char *shown(void)
{
	return LOGGED(progress_show(&progress, &run, kernel, registry));
}

static void add_process(__u32 id, int layout)
{
	struct registry_entry e = { .id = id, .pid = id, .binary = "", .build_id = "", .layout = layout };

	assert_int_equal(registry_add(registry, &e), 0);
}

TEST(says_how_it_is_getting_on)
{
	const char *line;
	double seconds;
	int end = 0;

	kernel = open_kernel(selected);
	add_process(1, 0);
	add_process(2, 0);
	add_process(3, 0);
	registry_end(registry, 3);
	line = shown();
	assert_memory_equal(line, ERASE, strlen(ERASE));
	assert_int_equal(sscanf(line + strlen(ERASE),
				"%lf s, 2 processes, 0 samples. Ctrl-C ends it.%n", &seconds, &end),
			 1);
	assert_true(end > 0 && !line[strlen(ERASE) + end]); /* no newline: the next one takes its place */
	assert_true(seconds >= 1000 && seconds < 1100);
}

/* Its samples are those of the profile: this process, as a Python of an unknown layout. */
TEST(counts_samples)
{
	struct record_process self;
	struct process p = { .state = PROCESS_NO_LAYOUT };
	struct kernel_stats s;
	char expected[64];

	kernel = open_kernel(selected);
	self = find_process(kernel, getpid());
	p.start_time = self.start_time;
	p.exec_id = self.exec_id;
	p.id = kernel_new_process_id(kernel);
	assert_int_equal(kernel_set_process(kernel, getpid(), &p), 0);
	start(kernel);
	burn(0.2);
	kernel_stop(kernel);
	kernel_stats(kernel, &s);
	assert_true(s.sum.outcome[EVENT_CPU][OUTCOME_NO_LAYOUT] > 10);
	snprintf(expected, sizeof(expected), " %llu samples. ", s.sum.outcome[EVENT_CPU][OUTCOME_NO_LAYOUT]);
	assert_non_null(strstr(shown(), expected));
}

TEST(once_a_second)
{
	double seconds;

	kernel = open_kernel(selected);
	seconds = clock_seconds() - run.start;
	progress.last = seconds + 100; /* not even if this process is stopped for a while */
	assert_string_equal(shown(), "");
	progress.last = seconds - 0.95;
	assert_string_not_equal(shown(), "");
	assert_true(progress.last >= seconds);
}

TEST(nothing_where_nobody_looks)
{
	kernel = open_kernel(selected);
	progress.wanted = false;
	assert_string_equal(shown(), "");
	assert_string_equal(LOGGED(progress_end(&progress)), "");
	progress.wanted = true;
	run.start = 0; /* it has not begun */
	assert_string_equal(shown(), "");
	assert_string_equal(LOGGED(progress_end(&progress)), "");
}

TEST(is_taken_away)
{
	kernel = open_kernel(selected);
	assert_string_not_equal(shown(), "");
	assert_string_equal(LOGGED(progress_end(&progress)), ERASE);
}

AROUND_EACH(setup, teardown_all);
