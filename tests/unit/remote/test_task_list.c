// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_task_list.c - lists of tasks, whole and in pieces.
 */
#include <errno.h>
#include <stdlib.h>

#include "remote/task_list.h"
#include "tests/forge/test.h"
#include "tests/unit/remote/forge_tasks.h"

#define TASKS 5

static __u64 head[2];

static __u64 *node(int i)
{
	return &task_objects[i][TASK_NODE_AT];
}

/* The tasks in a ring with the head, as the interpreter has them. */
static void forge_list(void)
{
	__u64 *before = head;

	forge_begin();
	forge_coroutine(0, FORGED_SUSPENDED, 0);
	for (int i = 0; i < TASKS; i++) {
		forge_task(i, forge_name(i, 1));
		before[0] = address_of(node(i));
		node(i)[1] = address_of(before);
		before = node(i);
	}
	before[0] = address_of(head);
	head[1] = address_of(before);
}

static struct task_list read_list(size_t most)
{
	struct task_list list;

	assert_int_equal(task_list_new(&list, most), 0);
	assert_int_equal(task_list_read(&list, &reader, address_of(head), 77), 0);
	return list;
}

TEST(in_their_order)
{
	struct task_list list;

	forge_list();
	list = read_list(100);
	assert_int_equal(list.count, TASKS);
	assert_false(list.more);
	for (int i = 0; i < TASKS; i++) {
		assert_int_equal(list.found[i].address, address_of(task_objects[i]));
		assert_int_equal(list.found[i].tid, 77);
		assert_true(list.found[i].listed);
		assert_int_equal(task_list_add(&list, address_of(task_objects[i])), i);
	}
	assert_int_equal(task_list_find(&list, 1234), -1);
	assert_int_equal(task_list_add(&list, 1234), TASKS);
	assert_int_equal(task_list_find(&list, 1234), TASKS);
	assert_false(list.found[TASKS].listed);
	/* A list that has not been made, and an empty one. */
	head[0] = 0;
	assert_int_equal(task_list_read(&list, &reader, address_of(head), 1), 0);
	head[0] = head[1] = address_of(head);
	assert_int_equal(task_list_read(&list, &reader, address_of(head), 1), 0);
	assert_int_equal(list.count, TASKS + 1);
	assert_false(list.more);
	task_list_free(&list);
}

/* What was found before the list came apart stays. */
TEST(a_list_in_pieces)
{
	static const __u64 values[] = { 0, 1, 8, 4096, ~0ULL, 1ULL << 47, 1ULL << 63 };
	struct task_list list;

	for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
		for (int word = 0; word < 2; word++) {
			forge_list();
			node(2)[word] = values[k];
			list = read_list(100);
			assert_int_equal(list.count, word ? 2 : 3);
			assert_true(list.more);
			task_list_free(&list);
		}
	}
	/* A ring that leaves its head out. */
	forge_list();
	node(4)[0] = address_of(node(1));
	list = read_list(100);
	assert_int_equal(list.count, TASKS);
	assert_true(list.more);
	task_list_free(&list);
}

TEST(no_more_than_there_is_room_for)
{
	struct task_list list;

	forge_list();
	list = read_list(3);
	assert_int_equal(list.count, 3);
	assert_true(list.more);
	assert_int_equal(task_list_add(&list, 1234), -E2BIG);
	assert_int_equal(task_list_add(&list, address_of(task_objects[2])), 2);
	task_list_free(&list);
	forge_list();
	reader.memory = 1 << 30;
	assert_int_equal(task_list_new(&list, 3), 0);
	assert_int_equal(task_list_read(&list, &reader, address_of(head), 1), -ESRCH);
	task_list_free(&list);
}
