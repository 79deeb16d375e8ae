// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_output.c - a result goes where the user has said, whole or not at all, and what cannot be is said
 * before hours of sampling.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "export/output.h"
#include "tests/forge/test.h"
#include "tests/forge/written.h"
#include "tests/forge/logged.h"

static int setup(void **state)
{
	(void)state;
	return make_folder();
}

static int teardown(void **state)
{
	(void)state;
	return remove_folder();
}

static const struct buf hello = { .data = (char *)"hello\n", .size = 6 };

static void file_is(const char *name, const char *text)
{
	_cleanup_buf_ struct buf b = { 0 };

	read_file(name, &b);
	assert_int_equal(b.size, strlen(text));
	assert_memory_equal(b.data, text, b.size);
}

/* Whatever is called "-" in the folder that one is in. */
TEST(a_dash_is_stdout)
{
	_cleanup_close_ int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err;

	assert_int_equal(chdir(folder), 0);
	assert_int_equal(mkdir("-", 0700), 0);
	err = output_check("-");
	assert_int_equal(fchdir(here), 0);
	assert_int_equal(err, 0);
	assert_true(output_is_stdout("-"));
	assert_false(output_is_stdout("./-"));
	assert_false(output_is_stdout("--"));
	assert_false(output_is_stdout(""));
	assert_false(output_is_stdout(NULL));
}

TEST(writes_to_stdout)
{
	int saved = dup(STDOUT_FILENO), fd = open(path_of("stdout"), O_RDWR | O_CREAT | O_CLOEXEC, 0600), err;

	fflush(stdout);
	assert_true(saved >= 0 && fd >= 0);
	dup2(fd, STDOUT_FILENO);
	err = output_write("-", &hello, NULL);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(fd);
	assert_int_equal(err, 0);
	file_is("stdout", "hello\n");
	assert_int_equal(count_files(NULL), 1); /* none that is called "-" */
}

TEST(writes_a_file)
{
	const struct buf longer = { .data = (char *)"something longer\n", .size = 17 };

	assert_int_equal(output_write(path_of("x"), &longer, NULL), 0);
	assert_int_equal(output_write(path_of("x"), &hello, NULL), 0);
	file_is("x", "hello\n");
	assert_int_equal(count_files(NULL), 1);
}

TEST(says_early_what_cannot_be_written)
{
	static const char *const good[] = { NULL, "-", "/dev/null", "/dev/stdout" };
	const char *said;
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_string_equal(LOGGED(assert_int_equal(output_check(good[i]), 0)), "");
	assert_int_equal(output_check(path_of("new")), 0);
	assert_int_equal(count_files(NULL), 0); /* it is only asked */
	said = LOGGED(err = output_check("/nonexistent/x"));
	assert_int_equal(err, -ENOENT);
	assert_string_equal(said,
			    "pyperf-bpf: error: cannot write '/nonexistent/x': No such file or directory\n");
	said = LOGGED(err = output_check(folder));
	assert_int_equal(err, -EISDIR);
	assert_non_null(strstr(said, "Is a directory"));
}

TEST(what_failed_leaves_the_old_file)
{
	const char *said;
	int err;

	assert_int_equal(output_write(path_of("old"), &hello, NULL), 0);
	assert_int_equal(mkdir(path_of("d"), 0700), 0);
	said = LOGGED(err = output_write(path_of("d"), &hello, NULL));
	assert_true(err < 0);
	assert_non_null(strstr(said, "error: cannot write '"));
	said = LOGGED(err = output_write("/dev/full", &hello, NULL));
	assert_int_equal(err, -ENOSPC);
	assert_string_equal(said, "pyperf-bpf: error: cannot write '/dev/full': No space left on device\n");
	file_is("old", "hello\n");
	assert_int_equal(count_files(NULL), 2);
}

static double soon(void *context)
{
	return *(double *)context;
}

/* A pipe that is full, and that nobody reads from. */
TEST(what_hangs_is_given_up)
{
	double end = 0;
	const struct output_patience patience = { soon, &end };
	static char zeros[1 << 16];
	const char *said;
	int fd, err;

	assert_int_equal(mkfifo(path_of("fifo"), 0600), 0);
	fd = open(path_of("fifo"), O_RDWR | O_NONBLOCK | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(output_write(path_of("fifo"), &hello, &patience), 0);
	while (write(fd, zeros, sizeof(zeros)) > 0 || write(fd, zeros, 1) > 0)
		;
	end = clock_seconds() + 0.2;
	said = LOGGED(err = output_write(path_of("fifo"), &hello, &patience));
	assert_int_equal(err, -ETIMEDOUT);
	assert_non_null(strstr(said, "takes too long: it is given up\n"));
	assert_true(clock_seconds() >= end);
	close(fd);
}

/* The time was over before anything was written, as on a machine that is busy with others. */
TEST(some_time_is_left_in_any_case)
{
	double end = clock_seconds() - 1;
	const struct output_patience patience = { soon, &end };

	assert_int_equal(output_write(path_of("late"), &hello, &patience), 0);
	file_is("late", "hello\n");
}

AROUND_EACH(setup, teardown);
