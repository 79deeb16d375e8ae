// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_awaiting.c - from a task to those that await it, through graphs of every shape.
 */
#include <string.h>

#include "dump/awaiting.h"
#include "tests/forge/test.h"

#define TASKS 100

static struct tasks head;
static struct task tasks[TASKS];
static __u32 awaiters[2 * TASKS];
static const struct dumped d = { .tasks = &head, .task_list = tasks, .awaiters = awaiters };
static struct awaiting a;

static void begin(void)
{
	memset(&head, 0, sizeof(head));
	memset(tasks, 0, sizeof(tasks));
}

/* The next task, at address 1000 plus its number, and those that await it; -1 = none. */
static void add(int one, int other)
{
	struct task *t = &tasks[head.tasks];

	t->address = 1000 + head.tasks++;
	t->first_awaiter = head.awaiters;
	if (one >= 0)
		awaiters[head.awaiters++] = (__u32)one;
	if (other >= 0)
		awaiters[head.awaiters++] = (__u32)other;
	t->awaiters = head.awaiters - t->first_awaiter;
}

TEST(to_the_root)
{
	begin();
	add(1, 2);
	add(3, -1);
	add(3, -1);
	add(-1, -1);
	awaiting_find(&d, 1000, &a);
	assert_int_equal(a.count, 2);
	assert_int_equal(a.end, AWAITING_ROOT);
	assert_ptr_equal(a.by[0].task, &tasks[1]);
	assert_int_equal(a.by[0].others, 1);
	assert_ptr_equal(a.by[1].task, &tasks[3]);
	assert_int_equal(a.by[1].others, 0);
	awaiting_find(&d, 1003, &a);
	assert_int_equal(a.count, 0);
	awaiting_find(&d, 999, &a); /* it has ended */
	assert_int_equal(a.count, 0);
	assert_int_equal(a.end, AWAITING_ROOT);
}

TEST(in_a_circle)
{
	begin();
	add(0, -1);
	awaiting_find(&d, 1000, &a);
	assert_int_equal(a.count, 0);
	assert_int_equal(a.end, AWAITING_CYCLE);
	begin();
	add(1, -1);
	add(2, -1);
	add(1, -1);
	awaiting_find(&d, 1000, &a);
	assert_int_equal(a.count, 2);
	assert_int_equal(a.end, AWAITING_CYCLE);
}

TEST(too_far)
{
	for (int length = AWAITING_MAX; length <= AWAITING_MAX + 1; length++) {
		begin();
		for (int i = 0; i < length; i++)
			add(i + 1, -1);
		add(-1, -1);
		awaiting_find(&d, 1000, &a);
		assert_int_equal(a.count, AWAITING_MAX);
		assert_int_equal(a.end, length == AWAITING_MAX ? AWAITING_ROOT : AWAITING_LONG);
	}
}
