// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_process_table.c - the kernel side's tables of processes and layouts on the running kernel, and its
 * list of all processes of the machine. Needs the right to load BPF.
 */
#include "tests/forge/test.h"
#include "tests/unit/kern/open_kernel.h"

#include "kern/contexts.h"
#include "kern/task_layouts.h"
#include "proc/procfs.h"

static int give_up(void *context, const struct record_process *p)
{
	(void)p;
	return ++*(int *)context == 3 ? -77 : 0;
}

TEST(lists_processes)
{
	struct record_process p;
	__u64 tick = 1000000000 / sysconf(_SC_CLK_TCK), ticks = 0;
	int calls = 0;

	kernel = open_kernel(selected);
	start_child();
	p = find_process(kernel, getpid());
	assert_int_equal(p.type, RECORD_PROCESS);
	assert_int_equal(procfs_start_ticks(getpid(), &ticks), 0);
	assert_true(p.start_time / tick == ticks);
	assert_true(p.exec_id > 0);
	assert_string_equal(p.comm, program_invocation_short_name);
	p = find_process(kernel, child);
	assert_int_equal(procfs_start_ticks(child, &ticks), 0);
	assert_true(p.start_time / tick == ticks);
	assert_string_equal(p.comm, "burner");
	/* The caller may have seen enough. */
	assert_int_equal(kernel_list_processes(kernel, give_up, &calls), -77);
	assert_int_equal(calls, 3);
}

TEST(layouts)
{
	struct layout l = { .version = 0x030d0000, .tstate_size = 320 }, have;

	kernel = open_kernel(selected);
	assert_int_equal(kernel_add_layout(kernel, &l, 0), 0);
	assert_int_equal(kernel_add_layout(kernel, &l, 0), 0);
	l.free_threaded = 1;
	assert_int_equal(kernel_add_layout(kernel, &l, 0), 1);
	l.free_threaded = 0;
	assert_int_equal(kernel_add_layout(kernel, &l, 0), 0);
	for (__u32 i = 2; i < LAYOUTS_MAX; i++) {
		l.bytes_data = i; /* the last field counts as well */
		assert_int_equal(kernel_add_layout(kernel, &l, 0), i);
	}
	/* No process has any of them: the first makes room (test_processes.c). */
	l.bytes_data = LAYOUTS_MAX;
	assert_int_equal(kernel_add_layout(kernel, &l, 0), 0);
	l.bytes_data = 40; /* known ones are still found */
	assert_int_equal(kernel_add_layout(kernel, &l, 0), 40);
	assert_int_equal(kernel_get_layout(kernel, 40, &have), 0);
	assert_memory_equal(&have, &l, sizeof(l));
	assert_int_equal(kernel_get_layout(kernel, LAYOUTS_MAX, &have), -ENOENT);
}

/* Where so many were met, one that no process has makes room. */
TEST(layouts_of_tasks)
{
	struct task_layout l = { .task_size = 8 };
	struct process p = { .start_time = 1, .state = PROCESS_PYTHON, .tasks = 1 };
	struct kernel_options with_tasks = selected;
	struct task_layouts *t;

	with_tasks.async = true;
	kernel = open_kernel(with_tasks);
	t = kernel_task_layouts(kernel);
	for (__u16 i = 1; i <= TASK_LAYOUTS_MAX; i++) {
		l.task_name = i;
		assert_int_equal(task_layouts_add(t, &l, 0), i);
		assert_int_equal(task_layouts_add(t, &l, 0), i);
	}
	assert_int_equal(kernel_set_process(kernel, 1000001, &p), 0);
	l.task_name = TASK_LAYOUTS_MAX + 1;
	assert_int_equal(task_layouts_add(t, &l, 0), 2);
	for (__u32 i = 2; i <= TASK_LAYOUTS_MAX; i++) {
		p.tasks = i;
		assert_int_equal(kernel_set_process(kernel, 1000000 + i, &p), 0);
	}
	l.task_name = TASK_LAYOUTS_MAX + 2;
	assert_int_equal(task_layouts_add(t, &l, 0), 0);
}

/* Places of context variables: equal ones are one, and one that no process has makes room. */
TEST(contexts)
{
	struct context_vars v = { .head = 16 };
	struct process p = { .start_time = 1, .state = PROCESS_PYTHON }, have;
	struct kernel_options with_variables = selected;
	struct contexts *t;

	with_variables.contexts = 1;
	kernel = open_kernel(with_variables);
	t = kernel_contexts(kernel);
	p.id = 5;
	assert_non_null(t->vars);
	assert_int_equal(contexts_set(t, 1000001, 5, 0, &v), -ESRCH);
	assert_int_equal(kernel_set_process(kernel, 1000001, &p), 0);
	/* The pid is another process's by now. */
	assert_int_equal(contexts_set(t, 1000001, 6, 0, &v), -ESRCH);
	assert_int_equal(contexts_set(t, 1000001, 5, 0, &v), 0);
	assert_int_equal(kernel_get_process(kernel, 1000001, &have), 0);
	assert_int_equal(have.contexts, 1);
	assert_memory_equal(contexts_get(t, 1), &v, sizeof(v));
	assert_null(contexts_get(t, 0));
	assert_null(contexts_get(t, 2));
	for (__u16 i = 1; i < CONTEXTS_MAX; i++) {
		v.tstate_context = i;
		assert_int_equal(contexts_set(t, 1000001, 5, 0, &v), 0);
	}
	assert_int_equal(kernel_get_process(kernel, 1000001, &have), 0);
	assert_int_equal(have.contexts, CONTEXTS_MAX);
	v.tstate_context = CONTEXTS_MAX;
	assert_int_equal(contexts_set(t, 1000001, 5, 0, &v), 0);
	assert_int_equal(kernel_get_process(kernel, 1000001, &have), 0);
	assert_int_equal(have.contexts, 1);
	assert_int_equal(contexts_get(t, 1)->tstate_context, CONTEXTS_MAX);
}

TEST(processes)
{
	struct process p = { .start_time = 1,
			     .exec_id = 2,
			     .runtime = 3,
			     .layout = 4,
			     .state = PROCESS_PYTHON },
		       have;

	kernel = open_kernel(selected);
	p.id = kernel_new_process_id(kernel);
	assert_true(p.id > 0); /* 0 is nobody */
	assert_int_equal(kernel_new_process_id(kernel), p.id + 1);
	assert_int_equal(kernel_get_process(kernel, 4711, &have), -ENOENT);
	assert_int_equal(kernel_remove_process(kernel, 4711), -ENOENT);
	assert_int_equal(kernel_set_process(kernel, 4711, &p), 0);
	assert_int_equal(kernel_get_process(kernel, 4711, &have), 0);
	assert_memory_equal(&have, &p, sizeof(p));
	p.state = PROCESS_NOT_PYTHON;
	assert_int_equal(kernel_set_process(kernel, 4711, &p), 0);
	assert_int_equal(kernel_get_process(kernel, 4711, &have), 0);
	assert_int_equal(have.state, PROCESS_NOT_PYTHON);
	assert_int_equal(kernel_remove_process(kernel, 4711), 0);
	assert_int_equal(kernel_get_process(kernel, 4711, &have), -ENOENT);
}

/*
 * A machine may have more processes than the table has room for: counted, an error, and room again after it.
 */
TEST(too_many_processes)
{
	const __u32 first = 1 << 22; /* no process has such an id */
	struct process p = { .state = PROCESS_PYTHON }, self = { .state = PROCESS_NO_LAYOUT }, have;
	struct record_process listed;
	struct kernel_stats s;
	__u32 n = first;
	int err = 0;

	kernel = open_kernel(selected);
	listed = find_process(kernel, getpid());
	self.start_time = listed.start_time;
	self.exec_id = listed.exec_id;
	self.id = kernel_new_process_id(kernel);
	assert_int_equal(kernel_set_process(kernel, getpid(), &self), 0);
	while (!err && n < first + 10000000)
		err = kernel_set_process(kernel, ++n, &p);
	assert_int_equal(err, -E2BIG);
	assert_true(n - first > 4096);
	kernel_stats(kernel, &s);
	assert_int_equal(s.sum.processes_full, 1);
	/* Nor is there room for a child of a process that is known. */
	start(kernel);
	start_child();
	burn(0.2);
	kernel_stop(kernel);
	kernel_stats(kernel, &s);
	assert_int_equal(kernel_get_process(kernel, child, &have), -ENOENT);
	assert_int_equal(s.sum.processes_full, 2);
	assert_int_equal(outcome_sum(&s), s.sum.ticks);
	assert_true(s.sum.outcome[EVENT_CPU][OUTCOME_NO_LAYOUT] > 0); /* we are still there ourselves */
	assert_int_equal(kernel_remove_process(kernel, first + 1), 0);
	assert_int_equal(kernel_set_process(kernel, n, &p), 0);
}

AROUND_EACH(NULL, teardown);
