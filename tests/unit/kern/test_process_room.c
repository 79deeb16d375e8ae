// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_process_room.c - the real table of processes, full: a newcomer of another user finds room, one of the
 * user who has most does not, and who makes room are the newest. It needs BPF.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "kern/kernel.h"
#include "kern/process_table.h"
#include "kern/processes.h"
#include "tests/forge/test.h"

#define SIZE 8192 /* of the table, docs/internals/tree.md */
#define PART (SIZE / 16)

enum { CROWD = 1000, SERVICE = 1001, OTHER = 1002 };

static struct kernel *kernel;
static int refused;

static int setup(void **state)
{
	struct kernel_options o = { .needs = NEEDS_TICKS, .frequency = 99, .max_depth = 64,
				    .cache_threads = 16, .cache_depth = 64, .tree_size = 4096 };

	(void)state;
	refused = kernel_open(&kernel, &o); /* fill() says why */
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	kernel_close(kernel);
	kernel = NULL;
	return 0;
}

static int set(__u64 user, __u32 pid)
{
	const struct process p = { .id = pid, .user = user, .state = PROCESS_PYTHON, .start_time = pid };

	return kernel_set_process(kernel, pid, &p);
}

/* How many the user has, and the pid of the newest. */
static __u32 count(__u64 user, __u32 *ret_newest)
{
	_cleanup_(processes_list_clear) struct process_list list = {};
	__u32 n = 0, newest = 0;

	assert_int_equal(kernel_processes(kernel, &list), 0);
	for (size_t i = 0; i < list.count; i++) {
		if (list.processes[i].user != user)
			continue;
		n++;
		newest = list.pids[i] > newest ? list.pids[i] : newest;
	}
	if (ret_newest)
		*ret_newest = newest;
	return n;
}

/* The table is full of Pythons of one user: pids from 1 on. */
static void fill(void)
{
	if (refused) {
		print_message("SKIP: %s\n", kernel_reason(kernel));
		skip();
	}
	for (__u32 pid = 1; pid <= SIZE; pid++)
		assert_int_equal(set(CROWD, pid), 0);
	assert_int_equal(set(CROWD, SIZE + 1), -E2BIG);
}

TEST(another_user_finds_room)
{
	__u32 newest;

	fill();
	assert_int_equal(set(SERVICE, 2 * SIZE), 0);
	assert_int_equal(count(SERVICE, NULL), 1);
	assert_int_equal(count(CROWD, &newest), SIZE - PART);
	assert_int_equal(newest, SIZE - PART);
}

/*
 * Who has most gets nothing, at once or later, and keeps nobody else from it: in the same second they do. A
 * try reads the whole table, so that user has one for 16 of the others'.
 */
TEST(down_to_equal_shares)
{
	__u32 pid = 2 * SIZE;

	fill();
	for (__u32 left = SIZE / 2 - 1; left--;) {
		assert_int_equal(set(SERVICE, pid++), 0);
		while (left % 16 == 0 && !set(CROWD, pid))
			pid++;
	}
	assert_in_range(count(CROWD, NULL), SIZE / 2, SIZE / 2 + 2);
	assert_int_equal(set(CROWD, pid++), -E2BIG);
	while (!set(SERVICE, pid))
		pid++;
	assert_int_equal(count(CROWD, NULL) + count(SERVICE, NULL), SIZE);
	assert_in_range(count(SERVICE, NULL), SIZE / 2 - 1, SIZE / 2);
	assert_int_equal(set(OTHER, pid), 0);
}

AROUND_EACH(setup, teardown);
