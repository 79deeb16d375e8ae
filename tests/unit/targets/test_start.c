// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_start.c - what a run begins with, of real processes: those of --pid, COMMAND, or all; and in which
 * words it is said that one of them will not do.
 */
#include "tests/forge/test.h"
#include "tests/unit/targets/parts.h"

#include "guard/worker.h"
#include "kern/process_table.h"
#include "targets/discover.h"
#include "targets/selection.h"
#include "targets/start.h"
#include "targets/verdicts.h"

static struct discover *discover;
static struct selection selection;
static struct targets targets;
static bool stop; /* the run is to end */
static int turns;

/* Until all has been answered: a busy machine may need longer for that than a run would wait. */
static int turn(void *context)
{
	double end = clock_seconds() + PATIENCE_SECONDS;

	assert_ptr_equal(context, &targets);
	turns++;
	while (!stop && discover_pending(discover)) {
		assert_true(clock_seconds() < end);
		wait_for_worker();
		discover_replies(discover);
	}
	return stop;
}

static int setup(void **state)
{
	selection = (struct selection){ 0 };
	targets = (struct targets){ .turn = turn, .context = &targets };
	stop = false;
	turns = 0;
	return open_parts(state);
}

static int teardown(void **state)
{
	discover_free(TAKE_PTR(discover));
	return close_parts(state);
}

static void begin(void)
{
	struct discover_parts parts = {
		.worker = worker, .registry = registry, .selection = &selection,
	};

	need_kernel();
	parts.kernel = targets.kernel = kernel;
	assert_int_equal(discover_new(&discover, &parts), 0);
	targets.discover = discover;
}

static int state_of(pid_t pid)
{
	struct process p;

	return kernel_get_process(kernel, pid, &p) ? 0 : p.state;
}

/* Returns the error; what was logged is in *ret_log. */
static int select_pids(pid_t *pids, size_t n, const char **ret_log)
{
	int err;

	targets.pids = pids;
	targets.pid_count = n;
	begin_log();
	err = targets_select(&targets);
	*ret_log = end_log();
	return err;
}

/* An interpreter that runs, and has got as far as to say so. */
static pid_t start_python(void)
{
	char script[128], byte, *const command[] = { "/usr/bin/python3", "-c", script, NULL };
	int fds[2];
	pid_t pid;

	if (access(command[0], X_OK)) {
		print_message("SKIP: there is no %s\n", command[0]);
		skip();
	}
	assert_int_equal(pipe(fds), 0);
	snprintf(script, sizeof(script), "import os, time\nos.write(%d, b'x')\nwhile True: time.sleep(1)",
		 fds[1]);
	pid = start_child(command);
	close(fds[1]);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	close(fds[0]);
	return pid;
}

TEST(pid_of_python)
{
	const char *log;
	pid_t pid;

	begin();
	pid = start_python();
	assert_int_equal(select_pids(&pid, 1, &log), 0);
	assert_string_equal(log, "");
	assert_int_equal(state_of(pid), PROCESS_PYTHON);
	assert_int_equal(verdicts_find(discover_verdicts(discover), pid), PROCESS_PYTHON);
	assert_int_equal(discover_pending(discover), 0);
}

TEST(pid_of_another_program)
{
	pid_t pids[2];
	const char *log;

	begin();
	pids[0] = start_child(NULL);
	pids[1] = start_child(NULL);
	assert_int_equal(select_pids(pids, 2, &log), -EINVAL);
	assert_non_null(strstr(log, "is not Python: none of "));
	assert_non_null(strstr(log, " mapped files has a CPython runtime\n"));
	assert_int_equal(state_of(pids[1]), 0); /* the first one was enough */
}

TEST(pid_of_nobody)
{
	const char *log;
	pid_t pid;

	begin();
	pid = start_child(NULL);
	end_child(pid);
	assert_int_equal(select_pids(&pid, 1, &log), -ESRCH);
	assert_non_null(strstr(log, "there is no process "));
}

/* With --children its children may be what is wanted. */
TEST(pid_that_a_filter_leaves_out)
{
	const char *log;
	pid_t pid;

	begin();
	selection.comm = "somebody-else";
	pid = start_child(NULL);
	assert_int_equal(select_pids(&pid, 1, &log), -EINVAL);
	assert_non_null(strstr(log, "is not among those that --comm and the like select\n"));
	targets.children = true;
	assert_int_equal(select_pids(&pid, 1, &log), 0);
	assert_string_equal(log, "");
	assert_int_equal(state_of(pid), PROCESS_EXCLUDED);
}

/* A process that starts the given command, and waits for it as a shell does. */
static pid_t start_wrapper(pid_t (*start)(void), pid_t *ret_child)
{
	int fds[2];
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = children[child_count++] = fork();
	if (!pid) {
		pid_t child = start();

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(fds[1], &child, sizeof(child)) != sizeof(child))
			_exit(1);
		for (;;)
			pause();
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], ret_child, sizeof(*ret_child)), sizeof(*ret_child));
	close(fds[0]);
	return pid;
}

static pid_t start_nothing(void)
{
	return start_child(NULL);
}

TEST(pid_of_what_started_a_python)
{
	const char *log;
	pid_t pid, python;

	begin();
	pid = start_wrapper(start_python, &python);
	assert_int_equal(select_pids(&pid, 1, &log), -EINVAL);
	assert_non_null(strstr(log, "runtime; children of it are: --children profiles them\n"));
	targets.children = true;
	assert_int_equal(select_pids(&pid, 1, &log), 0);
	assert_string_equal(log, "");
	assert_int_equal(state_of(pid), PROCESS_NOT_PYTHON);
	assert_int_equal(verdicts_find(discover_verdicts(discover), python), PROCESS_PYTHON);
}

/* It may do so yet. */
TEST(pid_of_what_has_started_no_python)
{
	const char *log;
	pid_t pids[2], child;

	begin();
	pids[0] = start_wrapper(start_nothing, &child);
	pids[1] = start_python();
	assert_int_equal(select_pids(pids, 2, &log), -EINVAL);
	assert_non_null(strstr(log, "mapped files has a CPython runtime\n"));
	targets.children = true;
	assert_int_equal(select_pids(pids, 2, &log), 0);
	assert_non_null(strstr(log, "is not Python, and has no Python children yet"));
	assert_int_equal(state_of(pids[0]), PROCESS_NOT_PYTHON);
	assert_int_equal(state_of(pids[1]), PROCESS_PYTHON);
}

/* It waits to be let go, and is looked at when it has become what it is to be. */
TEST(command)
{
	begin();
	targets.command = start_child(NULL);
	assert_int_equal(targets_select(&targets), 0);
	assert_int_equal(state_of(targets.command), PROCESS_WANTED);
	assert_int_equal(discover_pending(discover), 0);
	assert_int_equal(turns, 0);
}

TEST(command_that_has_ended)
{
	int err;

	begin();
	targets.command = start_child(NULL);
	end_child(targets.command);
	begin_log();
	err = targets_select(&targets);
	assert_non_null(strstr(end_log(), "COMMAND cannot be found"));
	assert_int_equal(err, -ESRCH);
}

TEST(all_processes)
{
	pid_t python, other;
	int err;

	begin();
	python = start_python();
	other = start_child(NULL);
	begin_log(); /* the machine's other programs may be of any kind */
	err = targets_select(&targets);
	end_log();
	assert_int_equal(err, 0);
	assert_int_equal(discover_pending(discover), 0);
	assert_int_equal(verdicts_find(discover_verdicts(discover), python), PROCESS_PYTHON);
	assert_int_equal(verdicts_find(discover_verdicts(discover), other), PROCESS_NOT_PYTHON);
	assert_int_equal(verdicts_find(discover_verdicts(discover), getpid()), 0);
	assert_int_equal(state_of(getpid()), 0);
}

/* More of one user than the worker's queue has places for: each of them is asked about. */
TEST(crowd)
{
	pid_t crowd[WORKER_QUEUE + 100];
	size_t unknown = 0;
	int err;

	begin();
	for (size_t i = 0; i < ARRAY_SIZE(crowd); i++) {
		crowd[i] = start_child(NULL);
		child_count--;
	}
	begin_log();
	err = targets_select(&targets);
	end_log();
	for (size_t i = 0; i < ARRAY_SIZE(crowd); i++) {
		unknown += state_of(crowd[i]) != PROCESS_NOT_PYTHON;
		end_child(crowd[i]);
	}
	assert_int_equal(err, 0);
	assert_int_equal(unknown, 0);
}

/* Ctrl-C before sampling began. */
TEST(stops_when_told_to)
{
	const char *log;
	pid_t pid;

	begin();
	pid = start_child(NULL);
	stop = true;
	assert_int_equal(select_pids(&pid, 1, &log), 0);
	assert_int_equal(turns, 1);
	assert_int_equal(discover_pending(discover), 1);
}

AROUND_EACH(setup, teardown);
AROUND_ALL(NULL, close_kernel);
