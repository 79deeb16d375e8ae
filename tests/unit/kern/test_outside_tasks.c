// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_outside_tasks.c - the program that takes stacks of asyncio tasks, with their time: the books are
 * exact, what is no stack is in none, and a frame that is neither a code object nor a mark is refused.
 */
#include "tests/forge/test.h"
#include "tests/unit/kern/open_kernel.h"

#include "kern/asleep.h"
#include "kern/banks.h"

#define ID 7 /* struct process.id of a process that need not be there */

static const struct kernel_options with_tasks = {
	.frequency = 99,
	.by_thread = true,
	.max_depth = 64,
	.needs = NEEDS_TASKS,
	.tree_size = 4096,
};

static struct outside_stack *outside;

static void open_tasks(void)
{
	kernel = open_kernel(with_tasks);
	assert_false(asleep_takes_tasks(kernel_asleep(kernel)));
	start(kernel);
	assert_true(asleep_takes_tasks(kernel_asleep(kernel)));
	assert_false(asleep_is_open(kernel_asleep(kernel))); /* no thread is listed */
	outside = kernel_asleep(kernel)->outside;
}

static void give(enum outcome outcome, __u32 depth, __u64 ns)
{
	outside->asleep = (struct asleep){ .process = ID, .tid = 70, .comm = "loop" };
	outside->outcome = outcome;
	outside->depth = depth;
	outside->ns = ns;
	outside->looks = outside->none = 0;
	assert_int_equal(asleep_give_tasks(kernel_asleep(kernel)), 0);
}

static struct cpu_stats counted(void)
{
	struct kernel_stats s;

	kernel_stats(kernel, &s);
	return s.sum;
}

static __u64 in_tree(void)
{
	const struct kernel_tables *t = kernel_tables(kernel);
	__u64 sum = 0;

	for (__u32 i = 0; i < t->node_count; i++)
		sum += t->nodes[i].count;
	return sum;
}

static void set_frames(void)
{
	outside->frames[0] = (struct outside_frame){ .address = 0x10000, .fingerprint = 1, .instr = 3 };
	outside->frames[1] = (struct outside_frame){ .mark = CODE_WAITS + WAIT_TASK_SHARED };
	outside->frames[2] = (struct outside_frame){ .address = 0x10040, .fingerprint = 3, .instr = 5 };
}

TEST(books_are_exact)
{
	struct cpu_stats s;

	open_tasks();
	set_frames();
	give(OUTCOME_WHOLE, 3, 1000);
	assert_true(outside->frames[0].code >= CODE_FIRST && outside->frames[2].code >= CODE_FIRST);
	assert_int_not_equal(outside->frames[0].code, outside->frames[2].code);
	assert_true(outside->frames[0].unnamed && outside->frames[2].unnamed);
	set_frames();
	give(OUTCOME_TASK_MOVED, 3, 200);
	assert_false(outside->frames[0].unnamed); /* its names are asked for once */
	give(OUTCOME_TASK_RUNS, 0, 30);
	give(OUTCOME_TASK_UNREAD, 0, 4);
	s = counted();
	assert_int_equal(s.tasks_ns, 1234);
	assert_int_equal(s.outcome[EVENT_TASKS][OUTCOME_WHOLE], 1000);
	assert_int_equal(s.outcome[EVENT_TASKS][OUTCOME_TASK_MOVED], 200);
	assert_int_equal(s.outcome[EVENT_TASKS][OUTCOME_TASK_RUNS], 30);
	assert_int_equal(s.outcome[EVENT_TASKS][OUTCOME_TASK_UNREAD], 4);
	assert_int_equal(in_tree(), 1200);
}

/* The numbers of markers and of code objects have no business there. */
TEST(marks_that_are_none)
{
	static const __u32 wrong[] = { 0, 1, CODE_WAITS - 1, CODE_WAITS + WAIT_CAUSES, CODE_FIRST - 1,
				       CODE_FIRST, NODE_ATTRIBUTE, ~0U };

	open_tasks();
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		set_frames();
		outside->frames[1].mark = wrong[i];
		give(OUTCOME_WHOLE, 3, 10);
	}
	assert_int_equal(counted().outcome[EVENT_TASKS][OUTCOME_TABLE_FULL], 10 * ARRAY_SIZE(wrong));
	assert_int_equal(counted().tasks_ns, 10 * ARRAY_SIZE(wrong));
	assert_int_equal(in_tree(), 10 * ARRAY_SIZE(wrong));
}

/* Whatever the table says: no more than its frames, and no outcome that there is not. */
TEST(numbers_that_are_too_large)
{
	open_tasks();
	set_frames();
	give(OUTCOME_WHOLE, ~0U, 10);
	give(OUTCOME_COUNT, 3, 10);
	give(~0U, 3, 10);
	assert_int_equal(counted().tasks_ns, 10);
	assert_int_equal(in_tree(), 10);
}

TEST(looks_are_counted)
{
	open_tasks();
	for (int i = 0; i < 3; i++) {
		outside->ns = 0;
		outside->looks = 1;
		outside->none = i == 1;
		assert_int_equal(asleep_give_tasks(kernel_asleep(kernel)), 0);
	}
	assert_int_equal(counted().tasks_looks, 3);
	assert_int_equal(counted().tasks_none, 1);
	assert_int_equal(in_tree(), 0);
}

AROUND_EACH(NULL, teardown);
