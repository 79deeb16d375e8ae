// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_task_object.c - one task: its name, its coroutines, who awaits it; and tasks that are none.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "remote/task_object.h"
#include "tests/forge/test.h"
#include "tests/unit/remote/forge_tasks.h"

static struct task_object object;
static forged set;
static __u64 table[2 * OBJECT_SLOTS_MAX][2];

static void read_task(int i, bool listed)
{
	const struct task_found found = { .address = address_of(task_objects[i]), .listed = listed };

	assert_int_equal(task_object_read(&reader, &found, &object), 0);
}

/* Task 0 is awaited by a set with the tasks from 1 on, with holes in it. */
static void forge_set(__u64 slots, int count)
{
	memset(table, 0, sizeof(table));
	set[2] = (__u64)count;
	set[3] = slots - 1;
	set[4] = address_of(table);
	for (int i = 0; i < count; i++) {
		table[2 * i + 1][0] = 4096 + 16 * (__u64)i;
		table[2 * i + 1][1] = 7;
	}
	table[0][0] = address_of(types); /* taken out */
	table[0][1] = ~0ULL;
	task_objects[0][TASK_AWAITED_BY_AT] = address_of(set);
	task_objects[0][TASK_FLAGS_AT] = 1 | 1 << 8;
}

TEST(a_whole_task)
{
	forge_begin();
	forge_task(3, forge_coroutine(0, FORGED_AWAITING, forge_coroutine(1, FORGED_SUSPENDED, 0)));
	task_objects[3][TASK_AWAITED_BY_AT] = address_of(task_objects[4]);
	read_task(3, true);
	assert_true(object.steady && object.is_task);
	assert_string_equal(object.name, "Task-3");
	assert_int_equal(object.chain.count, 2);
	assert_int_equal(object.awaiter_count, 1);
	assert_int_equal(object.awaiters[0], address_of(task_objects[4]));
	/* A future has neither a name nor coroutines, but may be awaited. */
	task_objects[3][TASK_FLAGS_AT] = 0;
	task_objects[3][TASK_NAME_AT] = task_objects[3][TASK_CORO_AT] = 1;
	read_task(3, false);
	assert_true(object.steady && !object.is_task);
	assert_int_equal(object.awaiter_count, 1);
	assert_int_equal(object.chain.count, 0);
}

TEST(a_set_of_awaiters)
{
	forge_begin();
	forge_task(0, forge_coroutine(0, FORGED_SUSPENDED, 0));
	forge_set(8, 3);
	read_task(0, true);
	assert_int_equal(object.awaiter_count, 3);
	assert_int_equal(object.awaiters[2], 4096 + 32);
	assert_false(object.more_awaiters);
	forge_set(4 * OBJECT_SLOTS, OBJECT_SLOTS + 7); /* in several reads */
	read_task(0, true);
	assert_true(object.steady && !object.more_awaiters);
	assert_int_equal(object.awaiter_count, OBJECT_SLOTS + 7);
	assert_int_equal(object.awaiters[OBJECT_SLOTS + 6], 4096 + 16 * (OBJECT_SLOTS + 6));
	forge_set(OBJECT_SLOTS_MAX, OBJECT_AWAITERS_MAX + 1);
	read_task(0, true);
	assert_true(object.steady && object.more_awaiters);
	assert_int_equal(object.awaiter_count, OBJECT_AWAITERS_MAX);
	forge_set(2 * OBJECT_SLOTS_MAX, 3);
	read_task(0, true);
	assert_true(object.steady && object.more_awaiters);
}

static __u64 next_random(__u64 *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 33;
}

/* Any words anywhere in a task, its coroutines, its set and their types: the same in each run. */
TEST(random_words)
{
	forged *const objects[] = { task_objects, coroutines, coroutines + 1, coroutines + 2,
				    &set,	  texts,      types,	      types + 3 };
	__u64 seed = 1;
	int steady = 0;

	for (int i = 0; i < 20000; i++) {
		forge_begin();
		forge_task(0, forge_coroutine(0, FORGED_AWAITING,
					      forge_coroutine(1, FORGED_AWAITING,
							      forge_coroutine(2, FORGED_SUSPENDED, 0))));
		forge_set(8, 3);
		for (__u64 n = next_random(&seed) % 3 + 1; n; n--) {
			__u64 *word = &(*objects[next_random(&seed) % ARRAY_SIZE(objects)])
					[next_random(&seed) % 20];
			forged *const other = objects[next_random(&seed) % ARRAY_SIZE(objects)];
			const __u64 values[] = { 0,	    1,		next_random(&seed), *word + 8,
						 *word ^ 1, ~0ULL,	address_of(other) };

			*word = values[next_random(&seed) % ARRAY_SIZE(values)];
		}
		read_task(0, next_random(&seed) & 1);
		steady += object.steady;
		assert_true(object.chain.count <= 3 && object.awaiter_count <= 8);
		assert_true(object.steady || !object.chain.count);
		assert_non_null(memchr(object.name, '\0', sizeof(object.name)));
	}
	assert_in_range(steady, 1000, 19000);
}

TEST(sets_that_are_none)
{
	static const struct {
		int word;
		__u64 value;
	} rows[] = { { 2, 4 }, { 2, 2 }, { 2, ~0ULL }, { 3, 5 },      { 3, ~0ULL },
		     { 3, OBJECT_SLOTS_MAX * 2 - 1 }, { 3, 0 }, { 4, 0 }, { 4, 4096 },  { 4, ~0ULL } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		forge_begin();
		forge_task(0, forge_coroutine(0, FORGED_SUSPENDED, 0));
		forge_set(8, 3);
		set[rows[i].word] = rows[i].value;
		read_task(0, true);
		if (rows[i].value == OBJECT_SLOTS_MAX * 2 - 1) /* it may be as large, and is cut */
			assert_true(object.more_awaiters);
		else
			assert_true(!object.steady && !object.awaiter_count && !object.chain.count);
	}
}

/* It has left its list; its memory is another object's; its name is none; it runs, but in no thread. */
TEST(tasks_that_are_none)
{
	static const struct {
		int word;
		__u64 value;
	} rows[] = { { TASK_NODE_AT, 0 },  { TASK_FLAGS_AT, 0 },    { TASK_FLAGS_AT, 2 },
		     { TASK_FLAGS_AT, 1 | 2 << 8 }, { TASK_NAME_AT, 0 }, { TASK_CORO_AT, 4096 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		forge_begin();
		forge_task(0, forge_coroutine(0, FORGED_SUSPENDED, 0));
		task_objects[0][rows[i].word] = rows[i].value;
		read_task(0, true);
		assert_false(object.steady);
		assert_int_equal(object.chain.count + object.awaiter_count, 0);
	}
	forge_begin();
	forge_task(0, forge_coroutine(0, FORGED_EXECUTING, 0));
	read_task(0, true);
	assert_false(object.steady);
}

TEST(the_end_of_a_look)
{
	const struct task_found found = { .address = address_of(task_objects[0]) };

	forge_begin();
	forge_task(0, 0);
	reader.reads = READER_READS_MAX;
	read_task(0, true);
	assert_true(object.unread && !object.steady);
	forge_begin();
	reader.memory = 1 << 30;
	assert_int_equal(task_object_read(&reader, &found, &object), -ESRCH);
}

TEST(what_a_thread_runs)
{
	static __u64 tstate[8];
	char name[TASK_NAME_SIZE];
	__u64 task = 1;

	forge_begin();
	tstate[2] = 0; /* no loop: the other word may be old */
	tstate[3] = forge_task(6, 0);
	assert_int_equal(task_object_running(&reader, address_of(tstate), &task), 0);
	assert_int_equal(task, 0);
	tstate[2] = 4096;
	assert_int_equal(task_object_running(&reader, address_of(tstate), &task), 0);
	assert_int_equal(task, address_of(task_objects[6]));
	assert_int_equal(task_object_name(&reader, task, name), 0);
	assert_string_equal(name, "Task-6");
	assert_int_equal(task_object_name(&reader, 4096, name), -EFAULT);
}
