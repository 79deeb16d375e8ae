// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_task_tree.c - the order of tasks on paper, for graphs of every shape: each task once in full.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "dump/task_tree.h"
#include "tests/forge/test.h"

#define TASKS_MAX    400
#define AWAITERS_MAX 2000

static struct tasks head;
static struct task tasks[TASKS_MAX];
static __u32 awaiters[AWAITERS_MAX];
static struct tree_row *rows;
static size_t count;

static void begin(void)
{
	memset(&head, 0, sizeof(head));
	memset(tasks, 0, sizeof(tasks));
}

/* The next task, and the one that awaits it; -1 = none. */
static void add(int awaiter)
{
	tasks[head.tasks].first_awaiter = head.awaiters;
	tasks[head.tasks].awaiters = awaiter >= 0;
	if (awaiter >= 0)
		awaiters[head.awaiters++] = (__u32)awaiter;
	head.tasks++;
}

/* ... and another one that awaits the same. */
static void also(int awaiter)
{
	tasks[head.tasks - 1].awaiters++;
	awaiters[head.awaiters++] = (__u32)awaiter;
}

/* Grows it, and checks what holds for all of them. */
static void grow(void)
{
	__u32 written[TASKS_MAX] = { 0 };

	free(rows);
	assert_int_equal(task_tree(&head, tasks, awaiters, &rows, &count), 0);
	assert_true(count <= head.tasks + head.awaiters);
	for (size_t i = 0; i < count; i++) {
		written[rows[i].task] += rows[i].kind == TREE_TASK;
		assert_true(rows[i].depth <= (i ? rows[i - 1].depth + 1 : 0));
		assert_true(rows[i].depth <= TREE_DEPTH_MAX);
		assert_true(rows[i].kind != TREE_ABOVE || written[rows[i].task]);
	}
	for (__u32 i = 0; i < head.tasks; i++)
		assert_int_equal(written[i], 1);
}

static void assert_rows(const char *text)
{
	static const char kinds[] = { [TREE_TASK] = ' ', [TREE_ABOVE] = '^', [TREE_CYCLE] = '@',
				      [TREE_BELOW] = 'v' };
	char all[512] = "";

	grow();
	for (size_t i = 0; i < count; i++)
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%u%c%u,", rows[i].depth,
			 kinds[rows[i].kind], rows[i].task);
	assert_string_equal(all, text);
}

TEST(trees)
{
	begin();
	assert_rows("");
	add(-1);
	add(0);
	add(-1);
	add(0);
	add(1);
	assert_rows("0 0,1 1,2 4,1 3,0 2,");
}

TEST(a_diamond)
{
	begin();
	add(-1);
	add(0);
	add(0);
	add(1);
	also(2);
	add(3);
	assert_rows("0 0,1 1,2 3,3 4,1 2,2^3,");
}

TEST(cycles)
{
	begin(); /* one that awaits itself */
	add(0);
	assert_rows("0 0,1@0,");
	begin(); /* two that await each other, and one that awaits one of them */
	add(1);
	add(0);
	also(2);
	add(-1);
	assert_rows("0 2,1 1,2 0,3@1,");
	begin(); /* a ring of three that nobody awaits */
	add(2);
	add(0);
	add(1);
	assert_rows("0 0,1 1,2 2,3@0,");
}

TEST(a_long_chain)
{
	size_t below = 0;

	begin();
	for (int i = 0; i < TASKS_MAX; i++)
		add(i - 1);
	grow();
	for (size_t i = 0; i < count; i++)
		below += rows[i].kind == TREE_BELOW;
	assert_int_equal(below, (TASKS_MAX - 1) / TREE_DEPTH_MAX);
}

/* Stacked diamonds have more paths than there are atoms; and any graph at all, the same in each run. */
TEST(many_paths)
{
	__u32 seed = 1;

	begin();
	add(-1);
	for (int i = 1; i < TASKS_MAX - 2; i += 2) {
		add(i - 1);
		if (i > 1)
			also(i - 2);
		add(i - 1);
		if (i > 1)
			also(i - 2);
	}
	grow();
	for (int graph = 0; graph < 200; graph++) {
		begin();
		for (int i = 0; i < 50; i++) {
			add(-1);
			for (int k = 0; k < 4; k++) {
				seed = seed * 1103515245 + 12345;
				if (seed >> 16 & 1)
					also((int)(seed >> 17) % 50);
			}
		}
		grow();
	}
	free(rows);
	rows = NULL;
}
