// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_children.c - a family of real processes: each descendant of those named is selected, and nobody else.
 */
#include <linux/sched.h>
#include <sys/syscall.h>

#include "tests/forge/test.h"
#include "tests/unit/targets/discovering.h"

#include "kern/process_table.h"
#include "targets/children.h"
#include "targets/discover.h"

#define GENERATIONS 4

/* Each process writes its pid, has one child, and ends with its parent. */
static void descend(int fd)
{
	for (int left = GENERATIONS; left; left--) {
		pid_t pid = getpid();

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(fd, &pid, sizeof(pid)) != sizeof(pid))
			_exit(1);
		if (left > 1 && fork())
			break;
	}
	for (;;)
		pause();
}

/* A child, its child and so on: their pids. */
static void start_family(pid_t pids[GENERATIONS])
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	children[child_count] = fork();
	assert_true(children[child_count] >= 0);
	if (!children[child_count])
		descend(fds[1]);
	child_count++;
	for (int i = 0; i < GENERATIONS; i++)
		assert_int_equal(read(fds[0], &pids[i], sizeof(pid_t)), sizeof(pid_t));
	close(fds[0]);
	close(fds[1]);
}

static int state_of(pid_t pid)
{
	struct process p;

	return kernel_get_process(kernel, pid, &p) ? 0 : p.state;
}

TEST(all_generations)
{
	pid_t family[GENERATIONS], stranger;

	begin();
	start_family(family);
	stranger = start_child(NULL);
	assert_int_equal(children_select(kernel, discover, &family[0], 1), 0);
	assert_int_equal(state_of(family[0]), 0); /* that is start.c's */
	for (int i = 1; i < GENERATIONS; i++)
		assert_int_equal(state_of(family[i]), PROCESS_WANTED);
	assert_int_equal(state_of(stranger), 0);
	assert_int_equal(state_of(getpid()), 0);
	assert_int_equal(discover_pending(discover), GENERATIONS - 1);
}

TEST(from_the_middle_of_two_families)
{
	pid_t a[GENERATIONS], b[GENERATIONS], pids[2];

	begin();
	start_family(a);
	start_family(b);
	pids[0] = b[1];
	pids[1] = a[2];
	assert_int_equal(children_select(kernel, discover, pids, 2), 0);
	for (int i = 0; i < GENERATIONS; i++) {
		assert_int_equal(state_of(a[i]), i > 2 ? PROCESS_WANTED : 0);
		assert_int_equal(state_of(b[i]), i > 1 ? PROCESS_WANTED : 0);
	}
}

TEST(one_that_is_known_stays_as_it_is)
{
	struct process known = { .id = 99, .state = PROCESS_PYTHON }, now;
	pid_t family[GENERATIONS];
	struct record_process p;

	begin();
	start_family(family);
	p = process_of(family[1]);
	known.start_time = p.start_time;
	known.exec_id = p.exec_id;
	assert_int_equal(kernel_set_process(kernel, family[1], &known), 0);
	known.start_time = p.start_time - 1; /* an older one of the same pid */
	assert_int_equal(kernel_set_process(kernel, family[2], &known), 0);
	assert_int_equal(children_select(kernel, discover, &family[0], 1), 0);
	assert_int_equal(kernel_get_process(kernel, family[1], &now), 0);
	assert_int_equal(now.state, PROCESS_PYTHON);
	assert_int_equal(now.id, 99);
	assert_int_equal(state_of(family[2]), PROCESS_WANTED);
	assert_int_equal(state_of(family[3]), PROCESS_WANTED);
	assert_int_equal(discover_pending(discover), 2);
}

/* Forks a process of a number that is free below its own. It ends with its parent. -errno. */
static pid_t fork_below(void)
{
	for (pid_t wanted = getpid() - 1; wanted > 1; wanted--) {
		struct clone_args args = {
			.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&wanted, .set_tid_size = 1,
		};
		pid_t pid = syscall(SYS_clone3, &args, sizeof(args));

		if (pid >= 0 || errno != EEXIST)
			return pid < 0 ? -errno : pid;
	}
	return -EEXIST;
}

/* As descend(), but each has a lower number than its parent. Writes -errno where that cannot be done. */
static void descend_below(int fd)
{
	for (int left = 2; left; left--) {
		pid_t pid = fork_below();

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (pid > 0)
			break;
		if (!pid)
			pid = getpid();
		if (write(fd, &pid, sizeof(pid)) != sizeof(pid) || pid < 0)
			break;
	}
	for (;;)
		pause();
}

/* Numbers begin anew after the highest, so the list of processes need not have parents first. */
TEST(children_listed_before_their_parents)
{
	pid_t parent, pids[2] = { 0 };
	int fds[2];

	begin();
	assert_int_equal(pipe(fds), 0);
	parent = children[child_count++] = fork();
	if (!parent)
		descend_below(fds[1]);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(read(fds[0], &pids[i], sizeof(pid_t)), sizeof(pid_t));
		if (pids[i] < 0) {
			print_message("SKIP: no choice of a process's number: %s\n", strerror(-pids[i]));
			skip();
		}
	}
	close(fds[0]);
	close(fds[1]);
	assert_true(pids[1] < pids[0] && pids[0] < parent);
	assert_int_equal(children_select(kernel, discover, &parent, 1), 0);
	assert_int_equal(state_of(pids[0]), PROCESS_WANTED);
	assert_int_equal(state_of(pids[1]), PROCESS_WANTED);
}

TEST(nobody)
{
	pid_t childless;

	begin();
	childless = start_child(NULL);
	assert_int_equal(children_select(kernel, discover, &childless, 1), 0);
	assert_int_equal(children_select(kernel, discover, NULL, 0), 0);
	assert_int_equal(discover_pending(discover), 0);
}

AROUND_EACH(open_parts, teardown);
AROUND_ALL(NULL, close_kernel);
