// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_interval_files.c - a file for each interval, over forged tables: every count is in one file, also
 * after the folder was not there for a while; old files go, and memory has a bound.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/forge/fail_malloc.h"
#include "tests/forge/test.h"
#include "tests/forge/windows.h"
#include "tests/forge/written.h"
#include "tests/forge/logged.h"

#include "base/clock.h"
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
	interval_files_close(&files);
	return remove_folder() ?: teardown_windows(state);
}

/* The end of an interval, and what became of its file. */
static int add_and_wait(void)
{
	int err;

	interval_files_add(&files);
	while ((err = interval_files_run(&files)) == -EINPROGRESS)
		usleep(1000);
	return err;
}

/* What is logged. */
static const char *write_it(int expected)
{
	const char *said;
	int err;

	said = LOGGED(err = add_and_wait());
	assert_int_equal(err, expected);
	return said;
}

static unsigned long long samples_of_last(int expected_files)
{
	const char *last;

	assert_int_equal(count_files(&last), expected_files);
	return samples_of(last);
}

TEST(each_interval_is_a_file)
{
	for (int i = 1; i <= 4; i++) {
		nodes[27].count += i;
		assert_string_equal(write_it(0), "");
		assert_int_equal(samples_of_last(i), i);
		assert_int_equal(done.files_written, i);
	}
	assert_int_equal(files.written.samples[EVENT_CPU], 1 + 2 + 3 + 4);
	assert_int_equal(done.files_failed + done.files_removed + done.samples_dropped, 0);
}

/* Whether the writer was killed before it could say that its file is there. */
static bool is_killed_behind_its_file(int files_before)
{
	int err;

	interval_files_add(&files);
	assert_int_equal(interval_files_run(&files), -EINPROGRESS);
	while (count_files(NULL) == files_before)
		;
	kill(files.writer.child, SIGKILL);
	LOGGED({
		while ((err = interval_files_run(&files)) == -EINPROGRESS)
			usleep(1000);
	});
	return err;
}

/* The file that it has written is not written once more. */
TEST(writer_that_is_killed_behind_its_file)
{
	int written = 0;

	do {
		assert_true(written < 1000);
		nodes[27].count += 5;
	} while (!is_killed_behind_its_file(written++));
	assert_int_equal(done.files_failed, 1);
	nodes[27].count += 7;
	LOGGED(assert_int_equal(add_and_wait(), 0));
	assert_int_equal(samples_of_last(written + 1), 7);
	assert_int_equal(done.files_written, written + 1);
	assert_int_equal(files.written.samples[EVENT_CPU], 5 * written + 7);
}

/* A reader may count on one file for each interval. */
TEST(an_interval_without_samples)
{
	write_it(0);
	assert_int_equal(samples_of_last(1), 0);
	assert_int_equal(done.files_written, 1);
}

TEST(ends_at_its_mark)
{
	nodes[27].count = 5;
	assert_int_equal(window_mark(files.window), 0);
	nodes[27].count = 12;
	write_it(0);
	assert_int_equal(samples_of_last(1), 5);
	write_it(0);
	assert_int_equal(samples_of_last(2), 7);
}

/* Said once, and when it is over; what was counted meanwhile is in the next file. */
TEST(folder_that_is_not_there_for_a_while)
{
	const char *said;

	assert_int_equal(remove_folder(), 0);
	nodes[27].count = 5;
	said = write_it(-ENOENT);
	assert_non_null(strstr(said, "warning: cannot write to '"));
	assert_non_null(
		strstr(said, "No such file or directory; what was counted is kept for the next file"));
	nodes[26].count = 20;
	assert_string_equal(write_it(-ENOENT), "");
	assert_int_equal(done.files_failed, 2);
	assert_int_equal(done.files_written, 0);
	assert_int_equal(mkdir(folder, 0700), 0);
	nodes[27].count += 300;
	assert_non_null(strstr(write_it(0), "profiles are written to '"));
	assert_int_equal(samples_of_last(2), 320); /* the first is the one that failed */
	assert_int_equal(files.written.samples[EVENT_CPU], 325);
	assert_string_equal(write_it(0), "");
	assert_int_equal(samples_of_last(3), 0);
}

/* Begins files until one of them has been stopped while it is written, as by a file system that hangs. */
static void hang(void)
{
	siginfo_t info;

	do {
		while (interval_files_run(&files) == -EINPROGRESS)
			usleep(1000);
		nodes[27].count++;
		interval_files_add(&files);
		assert_int_equal(interval_files_run(&files), -EINPROGRESS);
		assert_int_equal(kill(files.writer.child, SIGSTOP), 0);
		info = (siginfo_t){};
		assert_int_equal(waitid(P_PID, files.writer.child, &info, WSTOPPED | WEXITED | WNOWAIT), 0);
	} while (info.si_code != CLD_STOPPED);
}

/* The intervals that end meanwhile are one file; that is said once, and when it is over. */
TEST(folder_that_hangs_for_a_while)
{
	unsigned long long before;
	const char *said;
	pid_t child;

	hang();
	child = files.writer.child;
	before = nodes[27].count;
	for (int i = 0; i < 3; i++) {
		nodes[27].count += 10;
		said = LOGGED(interval_files_add(&files));
		assert_int_equal(!!strstr(said, "takes longer than an interval"), !i);
		assert_int_equal(interval_files_run(&files), -EINPROGRESS);
		assert_int_equal(interval_files_timeout_ms(&files), -1); /* until SIGCHLD */
	}
	assert_int_equal(done.files_late, 3);
	assert_int_equal(files.writer.child, child);
	assert_int_equal(files.written.samples[EVENT_CPU], before - 1);
	kill(child, SIGCONT);
	said = LOGGED(while (interval_files_run(&files) == -EINPROGRESS) usleep(1000));
	assert_non_null(strstr(said, "again"));
	assert_int_equal(files.written.samples[EVENT_CPU], before + 30);
	assert_int_equal(samples_of_last(done.files_written), 30);
	assert_int_equal(done.files_failed, 0);
}

/* That a file was late says nothing of why it then failed; both are over at once. */
TEST(a_file_that_is_late_and_fails)
{
	const char *said;

	hang();
	said = LOGGED(interval_files_add(&files));
	assert_non_null(strstr(said, "takes longer than an interval"));
	assert_int_equal(kill(files.writer.child, SIGKILL), 0);
	said = LOGGED(while (interval_files_run(&files) == -EINPROGRESS) usleep(1000));
	assert_non_null(strstr(said, "cannot write to '"));
	said = strstr(write_it(0), "again");
	assert_non_null(said);
	assert_null(strstr(said + 1, "again"));
	assert_string_equal(write_it(0), "");
}

/* The end comes when an interval is over, but its profile is not taken yet: what came after it is in it. */
TEST(the_end_is_part_of_what_is_not_taken)
{
	nodes[27].count = 5;
	assert_int_equal(window_mark(files.window), 0);
	interval_files_add(&files);
	nodes[27].count = 12;
	assert_int_equal(interval_files_last(&files), 0);
	assert_int_equal(interval_files_finish(&files, clock_seconds() + 60), 0);
	assert_int_equal(files.written.samples[EVENT_CPU], 12);
	assert_int_equal(count_files(NULL), 1);
}

/* The same while the file before is being written. */
TEST(the_end_while_an_interval_waits)
{
	unsigned long long before;
	pid_t child;
	int err;

	hang();
	child = files.writer.child;
	before = nodes[27].count;
	nodes[27].count += 10;
	assert_int_equal(window_mark(files.window), 0);
	LOGGED(interval_files_add(&files));
	nodes[27].count += 300;
	kill(child, SIGCONT);
	LOGGED(err = interval_files_last(&files) ?: interval_files_finish(&files, clock_seconds() + 60));
	assert_int_equal(err, 0);
	assert_int_equal(files.written.samples[EVENT_CPU], before + 310);
}

/* The end of a run waits as long as it was told, and no longer. */
TEST(folder_that_hangs_at_the_end)
{
	double start = clock_seconds();
	const char *said;
	int err;

	hang();
	said = LOGGED(err = interval_files_last(&files) ?: interval_files_finish(&files, start + 0.2));
	assert_int_equal(err, -ETIMEDOUT);
	assert_non_null(strstr(said, "takes too long"));
	assert_true(clock_seconds() - start > 0.19);
	assert_int_equal(files.writer.child, 0);
}

static bool stops_children;

static void stop_child(void)
{
	if (stops_children)
		raise(SIGSTOP);
}

/* Whoever writes the last file has no CPU for longer than it may take: that is not the folder's fault. */
TEST(no_cpu_at_the_end)
{
	siginfo_t info = {};
	pid_t child, other;

	assert_int_equal(pthread_atfork(NULL, NULL, stop_child), 0);
	nodes[27].count = 5;
	stops_children = true;
	assert_int_equal(interval_files_last(&files), 0);
	stops_children = false;
	child = files.writer.child;
	assert_int_equal(waitid(P_PID, child, &info, WSTOPPED | WNOWAIT), 0);
	other = fork();
	if (!other) {
		usleep(2500000);
		_exit(kill(child, SIGCONT) ? 1 : 0);
	}
	assert_int_equal(interval_files_finish(&files, clock_seconds() + 2), 0);
	assert_int_equal(waitpid(other, NULL, 0), other);
	assert_int_equal(files.written.samples[EVENT_CPU], 5);
}

/* A new folder in the options file is a way out. */
TEST(another_folder)
{
	char other[sizeof(folder) + 8];

	hang();
	LOGGED(interval_files_add(&files));
	snprintf(other, sizeof(other), "%s/other", folder);
	assert_int_equal(mkdir(other, 0700), 0);
	interval_files_move(&files, other);
	assert_int_equal(interval_files_timeout_ms(&files), 0);
	LOGGED(while (interval_files_run(&files) == -EINPROGRESS) usleep(1000));
	assert_int_equal(files.written.samples[EVENT_CPU], nodes[27].count);
	strcat(folder, "/other");
	assert_int_equal(count_files(NULL), 2); /* what hung, and what came after it */
	*strrchr(folder, '/') = '\0';
}

TEST(the_oldest_go)
{
	const char *last;

	files.keep.files = 2;
	for (int i = 1; i <= 5; i++) {
		nodes[27].count += i;
		write_it(0);
	}
	assert_int_equal(count_files(&last), 2);
	assert_int_equal(samples_of(last), 5);
	assert_int_equal(done.files_removed, 3);
	assert_int_equal(done.files_written, 5);
}

#define BUSH (NODES - EVENT_KINDS)

/*
 * As many stacks as there are nodes, less the reserved ones; all different: each is the path from a root
 * through a binary tree of two functions.
 */
static void grow_bush(__u32 tid)
{
	memset(nodes + EVENT_KINDS, 0, (NODES - EVENT_KINDS) * sizeof(*nodes));
	set_owner(0, 1, tid, "t");
	set_root(EVENT_KINDS, 0, 1);
	for (__u32 i = 2; i <= BUSH; i++)
		set_node(EVENT_KINDS - 1 + i, EVENT_KINDS - 1 + i / 2, 100 + i % 2, 1, 1);
}

/* As many more stacks that no file has yet. */
static unsigned long long add_stacks(__u32 tid)
{
	const struct kernel_range bank = { EVENT_KINDS, NODES };

	grow_bush(tid);
	assert_int_equal(windows_absorb(&all, bank), 0);
	memset(nodes + EVENT_KINDS, 0, (NODES - EVENT_KINDS) * sizeof(*nodes));
	windows_forget(&all, bank);
	return BUSH;
}

/* More than 262,144 stacks are waiting: they are given up, and the next interval begins with nothing. */
TEST(memory_has_a_bound)
{
	unsigned long long sum = 0;
	__u32 tid = 1;

	while (sum + BUSH <= 262144)
		sum += add_stacks(tid++);
	files.folder = "/nonexistent";
	assert_null(strstr(write_it(-ENOENT), "given up"));
	assert_int_equal(done.samples_dropped, 0);
	sum += add_stacks(tid);
	assert_non_null(strstr(write_it(-ENOENT), "samples that could not be written are given up"));
	assert_int_equal(done.samples_dropped, sum);
	files.folder = folder;
	grow_tree();
	nodes[27].count = 1;
	write_it(0);
	assert_int_equal(samples_of_last(1), 1);
	assert_int_equal(files.written.samples[EVENT_CPU], 1);
}

TEST(memory_runs_short)
{
	int failures = 0, err;

	if (!fail_malloc_works()) {
		print_message("SKIP: the sanitizer's malloc cannot be made to fail\n");
		skip();
	}
	for (int n = 0;; n++) {
		nodes[27].count++;
		allocations_left = n;
		err = add_and_wait(); /* in the child too */
		allocations_left = -1;
		if (!err)
			break;
		assert_int_equal(err, -ENOMEM);
		failures++;
	}
	assert_true(failures > 10);
	assert_int_equal(files.written.samples[EVENT_CPU], failures + 1);
	assert_int_equal(count_files(NULL), done.files_written);
	assert_int_equal(done.files_failed, failures);
}

AROUND_EACH(setup_files, teardown_files);
