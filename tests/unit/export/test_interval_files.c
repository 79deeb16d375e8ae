// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_interval_files.c - a file for each interval, over forged tables: every count is in one file, also
 * after the folder was not there for a while; old files go, and memory has a bound.
 */
#include <errno.h>
#include <sys/stat.h>

#include "tests/forge/fail_malloc.h"
#include "tests/forge/windows.h"
#include "tests/forge/written.h"
#include "tests/forge/logged.h"

#include "export/interval_files.h"

static struct interval_files files;
static struct export_stats done;

static int setup_files(void **state)
{
	int err = setup_windows(state) ?: make_folder();

	done = (struct export_stats){ 0 };
	files = (struct interval_files){ .folder = folder, .stats = &done };
	grow_tree();
	return err ?: window_open(&all, &files.window);
}

static int teardown_files(void **state)
{
	return remove_folder() ?: teardown_windows(state);
}

/* What is logged. */
static const char *write_it(int expected)
{
	const char *said;
	int err;

	said = LOGGED(err = interval_files_write(&files));
	assert_int_equal(err, expected);
	return said;
}

static unsigned long long samples_of_last(int expected_files)
{
	const char *last;

	assert_int_equal(count_files(&last), expected_files);
	return samples_of(last);
}

static void each_interval_is_a_file(void **state)
{
	(void)state;
	for (int i = 1; i <= 4; i++) {
		nodes[7].count += i;
		assert_string_equal(write_it(0), "");
		assert_int_equal(samples_of_last(i), i);
		assert_int_equal(done.files_written, i);
	}
	assert_int_equal(files.written.samples[EVENT_CPU], 1 + 2 + 3 + 4);
	assert_int_equal(done.files_failed + done.files_removed + done.samples_dropped, 0);
}

/* A reader may count on one file for each interval. */
static void an_interval_without_samples(void **state)
{
	(void)state;
	write_it(0);
	assert_int_equal(samples_of_last(1), 0);
	assert_int_equal(done.files_written, 1);
}

static void ends_at_its_mark(void **state)
{
	(void)state;
	nodes[7].count = 5;
	assert_int_equal(window_mark(files.window), 0);
	nodes[7].count = 12;
	write_it(0);
	assert_int_equal(samples_of_last(1), 5);
	write_it(0);
	assert_int_equal(samples_of_last(2), 7);
}

/* Said once, and when it is over; what was counted meanwhile is in the next file. */
static void folder_that_is_not_there_for_a_while(void **state)
{
	const char *said;

	(void)state;
	assert_int_equal(remove_folder(), 0);
	nodes[7].count = 5;
	said = write_it(-ENOENT);
	assert_non_null(strstr(said, "warning: cannot write to '"));
	assert_non_null(
		strstr(said, "No such file or directory; what was counted is kept for the next file"));
	nodes[6].count = 20;
	assert_string_equal(write_it(-ENOENT), "");
	assert_int_equal(done.files_failed, 2);
	assert_int_equal(done.files_written, 0);
	assert_int_equal(mkdir(folder, 0700), 0);
	nodes[7].count += 300;
	assert_non_null(strstr(write_it(0), "profiles are written to '"));
	assert_int_equal(samples_of_last(1), 325);
	assert_int_equal(files.written.samples[EVENT_CPU], 325);
	assert_string_equal(write_it(0), "");
	assert_int_equal(samples_of_last(2), 0);
}

static void the_oldest_go(void **state)
{
	const char *last;

	(void)state;
	files.keep.files = 2;
	for (int i = 1; i <= 5; i++) {
		nodes[7].count += i;
		write_it(0);
	}
	assert_int_equal(count_files(&last), 2);
	assert_int_equal(samples_of(last), 5);
	assert_int_equal(done.files_removed, 3);
	assert_int_equal(done.files_written, 5);
}

/* 8,191 stacks, all different: each is the path from a root through a binary tree of two functions. */
static void grow_bush(__u32 tid)
{
	memset(nodes + 1, 0, (NODES - 1) * sizeof(*nodes));
	set_owner(0, 1, tid, "t");
	set_root(1, 0, 1);
	for (__u32 i = 2; i < NODES; i++)
		set_node(i, i / 2, 100 + i % 2, 1, 1);
}

/* As many more stacks that no file has yet. */
static unsigned long long add_stacks(__u32 tid)
{
	const struct kernel_range bank = { 1, NODES };

	grow_bush(tid);
	assert_int_equal(windows_absorb(&all, bank, 0), 0);
	memset(nodes + 1, 0, (NODES - 1) * sizeof(*nodes));
	windows_forget(&all, bank);
	return NODES - 1;
}

/* More than 262,144 stacks are waiting: they are given up, and the next interval begins with nothing. */
static void memory_has_a_bound(void **state)
{
	unsigned long long sum = 0;
	__u32 tid = 1;

	(void)state;
	while (sum + NODES - 1 <= 262144)
		sum += add_stacks(tid++);
	files.folder = "/nonexistent";
	assert_null(strstr(write_it(-ENOENT), "given up"));
	assert_int_equal(done.samples_dropped, 0);
	sum += add_stacks(tid);
	assert_non_null(strstr(write_it(-ENOENT), "samples that could not be written are given up"));
	assert_int_equal(done.samples_dropped, sum);
	files.folder = folder;
	grow_tree();
	nodes[7].count = 1;
	write_it(0);
	assert_int_equal(samples_of_last(1), 1);
	assert_int_equal(files.written.samples[EVENT_CPU], 1);
}

static void memory_runs_short(void **state)
{
	int failures = 0, err;

	(void)state;
	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	for (int n = 0;; n++) {
		nodes[7].count++;
		allocations_left = n;
		err = interval_files_write(&files);
		allocations_left = -1;
		if (!err)
			break;
		assert_int_equal(err, -ENOMEM);
		failures++;
	}
	assert_true(failures > 10);
	assert_int_equal(samples_of_last(1), failures + 1);
	assert_int_equal(done.files_failed, failures);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup_files, teardown_files)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_interval_is_a_file), TEST(an_interval_without_samples),
		TEST(ends_at_its_mark),	       TEST(folder_that_is_not_there_for_a_while),
		TEST(the_oldest_go),	       TEST(memory_has_a_bound),
		TEST(memory_runs_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
