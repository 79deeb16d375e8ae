// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_processes.c - the table of processes in the kernel: all of it at once, and room made by those that are
 * no Python.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "kern/kernel.h"
#include "kern/process_table.h"
#include "kern/processes.h"
#include "tests/forge/test.h"

static struct kernel *kernel;
static int refused;

#define SIZE 8192 /* of the table, docs/internals/tree.md */

static int setup(void **state)
{
	struct kernel_options o = { .needs = NEEDS_TICKS, .frequency = 99, .max_depth = 64,
				    .cache_threads = 16, .cache_depth = 64, .tree_size = 4096 };

	(void)state;
	refused = kernel_open(&kernel, &o); /* need_kernel() says why */
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	kernel_close(kernel);
	return 0;
}

static void need_kernel(void)
{
	if (refused) {
		print_message("SKIP: %s\n", kernel_reason(kernel));
		skip();
	}
}

static int set(__u32 pid, enum process_state state, __u16 layout)
{
	const struct process p = { .id = pid, .state = state, .layout = layout };

	return kernel_set_process(kernel, pid, &p);
}

static size_t count(enum process_state state)
{
	_cleanup_(processes_list_clear) struct process_list list = {};
	size_t n = 0;

	assert_int_equal(kernel_processes(kernel, &list), 0);
	for (size_t i = 0; i < list.count; i++) {
		assert_int_equal(list.processes[i].id, list.pids[i]);
		n += list.processes[i].state == state;
	}
	return n;
}

TEST(all_of_them)
{
	need_kernel();
	assert_int_equal(count(PROCESS_PYTHON), 0);
	for (__u32 pid = 1; pid <= 1000; pid++)
		assert_int_equal(set(pid, pid % 4 ? PROCESS_NOT_PYTHON : PROCESS_PYTHON, 0), 0);
	assert_int_equal(count(PROCESS_PYTHON), 250);
	assert_int_equal(count(PROCESS_NOT_PYTHON), 750);
}

TEST(programs_that_are_no_python_make_room)
{
	size_t others;
	__u32 pid = 1001;

	need_kernel();
	for (; pid <= SIZE; pid++)
		assert_int_equal(set(pid, PROCESS_NOT_PYTHON, 0), 0);
	assert_int_equal(set(pid++, PROCESS_PYTHON, 0), 0);
	others = count(PROCESS_NOT_PYTHON);
	assert_in_range(others, SIZE - 250 - SIZE / 16, SIZE - 250 - SIZE / 16 + 1);
	assert_int_equal(count(PROCESS_PYTHON), 251);
	/* Until there are none of them left. Then it is full, and says so. */
	while (!set(pid, PROCESS_PYTHON, 0))
		assert_true(pid++ < 3 * SIZE);
	assert_int_equal(set(pid, PROCESS_PYTHON, 0), -E2BIG);
	assert_int_equal(count(PROCESS_NOT_PYTHON), 0);
	assert_int_equal(count(PROCESS_PYTHON), SIZE);
}

/* Whoever asks when nobody's place can be taken costs nothing: thousands may. A second later it is tried. */
TEST(full_is_full_for_a_second)
{
	const __u64 begin = clock_ns();
	__u32 pid = 4 * SIZE;

	need_kernel();
	while (set(pid, PROCESS_PYTHON, 0) != -E2BIG)
		pid++;
	for (__u32 had = SIZE + 1; had <= SIZE + 10; had++) /* the last test gave them entries */
		assert_int_equal(set(had, PROCESS_NOT_PYTHON, 0), 0);
	if (clock_ns() < begin + NS_PER_SECOND / 2)
		assert_int_equal(set(pid, PROCESS_PYTHON, 0), -E2BIG);
	usleep(1100000); /* from the last search */
	assert_int_equal(set(pid, PROCESS_PYTHON, 0), 0);
	assert_int_equal(count(PROCESS_NOT_PYTHON), 0);
}

AROUND_ALL(setup, teardown);
