// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_callbacks.c - who awaits a future, by callbacks of each kind, and by ones that lead nowhere, in
 * circles, or that are spoilt. That real ones are read rightly is shown by
 * tests/e2e/tasks/test_tasks_found.py.
 */
#include <errno.h>

#include "remote/callbacks.h"
#include "tests/forge/test.h"
#include "tests/unit/python/forge_objects.h"

#define CLOSURE_WORD 9 /* func_closure, 3.11 */

static forged_object future, outer, task, callback, closure, cell, list, tuples[4];
static struct task_reader reader;
static struct task_object object;

static int begin(void **state)
{
	(void)state;
	forge_objects_begin();
	memset(&reader, 0, sizeof(reader));
	reader.memory = getpid();
	reader.layout = forged_objects.layout;
	reader.objects = forged_objects;
	reader.at.facts = forged_objects.facts;
	reader.at.objects = (struct object_offsets){ .object_type = OBJECT_TYPE,
						     .type_name = OBJECT_HEAD + TYPE_NAME,
						     .type_flags = OBJECT_HEAD + TYPE_FLAGS };
	reader.at.found.task_type = at(forged_types[FORGED_TASK]);
	reader.at.found.future_type = at(forged_types[FORGED_FUTURE]);
	memset(future, 0, sizeof(future));
	memset(outer, 0, sizeof(outer));
	memset(callback, 0, sizeof(callback));
	forge_object(future, FORGED_FUTURE);
	forge_object(outer, FORGED_FUTURE);
	forge_object(task, FORGED_TASK);
	return 0;
}

static int look(void)
{
	memset(&object, 0, sizeof(object));
	return callbacks_read(&reader, at(future), (const void *)future, &object);
}

/* The first and only callback is of this type, with this word there. */
static void forge_callback(__u64 *of, enum forged_type type, int word, __u64 value)
{
	forge_object(callback, type);
	callback[word] = value;
	of[3] = at(callback);
}

/* A function in C that has one cell with this object. */
static void forge_closure(__u64 content)
{
	forge_object(closure, FORGED_TUPLE);
	closure[2] = 1;
	closure[3] = forge_object(cell, FORGED_OTHER);
	cell[2] = content;
	forge_callback(future, FORGED_FUNCTION, CLOSURE_WORD, at(closure));
}

static void assert_awaited_by(__u64 address)
{
	assert_int_equal(look(), 0);
	assert_int_equal(object.awaiter_count, 1);
	assert_int_equal(object.awaiters[0], address);
	assert_false(object.other_awaiters);
}

static void assert_awaited_by_nobody(bool other)
{
	assert_int_equal(look(), 0);
	assert_int_equal(object.awaiter_count, 0);
	assert_int_equal(object.other_awaiters, other);
}

TEST(a_task)
{
	assert_awaited_by_nobody(false);
	forge_callback(future, FORGED_WAKEUP, 2, at(task));
	assert_awaited_by(at(task));
	forge_callback(future, FORGED_BUILTIN, 3, at(task));
	assert_awaited_by(at(task));
	forge_callback(future, FORGED_BUILTIN, 3, at(outer)); /* a future does not await */
	assert_awaited_by_nobody(true);
}

TEST(a_future_of_which_a_task_waits)
{
	forge_closure(at(outer));
	assert_awaited_by(at(outer)); /* that nobody awaits */
	outer[5] = forge_object(list, FORGED_LIST);
	list[2] = 1;
	list[3] = at(&tuples[3]);
	tuples[3][0] = forge_object(tuples[0], FORGED_TUPLE);
	tuples[0][2] = 1;
	tuples[0][3] = forge_object(tuples[1], FORGED_WAKEUP);
	tuples[1][2] = at(task);
	assert_awaited_by(at(task));
	forge_callback(future, FORGED_PARTIAL, 3, at(closure));
	closure[3] = at(outer);
	assert_awaited_by(at(task));
}

TEST(who_is_only_told)
{
	static struct forged_dict dict;

	forge_callback(future, FORGED_FUNCTION, CLOSURE_WORD, 0);
	assert_awaited_by_nobody(false);
	forge_callback(future, FORGED_BUILTIN, 3, forge_dict(&dict));
	assert_awaited_by_nobody(false);
	forge_closure(at(list));
	assert_awaited_by_nobody(true);
	forge_callback(future, FORGED_METHOD, 3, at(list));
	assert_awaited_by_nobody(true);
	forge_callback(future, FORGED_OTHER, 3, at(task));
	assert_awaited_by_nobody(true);
}

/* Futures that await each other end the search, however they do. */
TEST(circles)
{
	forge_closure(at(outer));
	outer[3] = at(callback);
	assert_int_equal(look(), 0);
	forge_closure(at(future));
	assert_int_equal(look(), 0);
	assert_true(reader.objects.reads < 1000);
}

/* A list that says it is endless, and any word anywhere. */
TEST(spoilt)
{
	static const __u64 values[] = { 0, 1, 4096, 1ULL << 47, ~0ULL, ~7ULL };
	forged_object *const all[] = { &future, &outer, &callback, &closure, &cell, &list };

	for (size_t o = 0; o < ARRAY_SIZE(all); o++)
		for (size_t word = 0; word < 12; word++)
			for (size_t k = 0; k < ARRAY_SIZE(values); k++) {
				begin(state);
				a_future_of_which_a_task_waits(state);
				forge_closure(at(outer));
				(*all[o])[word] = values[k];
				look();
				assert_true(object.awaiter_count <= OBJECT_AWAITERS_MAX);
				assert_int_equal(reader.unreachable, 0);
			}
	begin(state);
	a_future_of_which_a_task_waits(state);
	future[5] = at(list);
	list[2] = 1ULL << 40;
	look();
	assert_true(object.more_awaiters);
}

static int begin_all(void **state)
{
	(void)state;
	return 0;
}

AROUND_EACH(begin, NULL);
AROUND_ALL(begin_all, NULL);
