// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_objects.c - objects as in 3.11, whole and spoilt in every word: what is found is right, each call
 * ends, and no more is read than was allowed. That real ones of each version are read rightly is shown by
 * tests/e2e/tasks/test_tasks_found.py.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tests/unit/python/forge_objects.h"

static struct forged_dict dict;
static forged_object texts[FORGED_ITEMS], instance, set_object, slots;
static const char *const names[] = { "one", "two", "_asyncio" };

static int begin(void **state)
{
	(void)state;
	forge_objects_begin();
	forge_dict(&dict);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		forge_item(&dict, forge_text(texts[i], names[i]), at(texts[i]));
	return 0;
}

static void a_value_by_its_key(void **state)
{
	struct objects *o = &forged_objects;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_int_equal(objects_dict_find(o, at(&dict), names[i]), at(texts[i]));
	assert_int_equal(objects_dict_find(o, at(&dict), "on"), 0);
	assert_int_equal(objects_dict_find(o, at(&dict), "ones"), 0);
	assert_int_equal(objects_dict_find(o, at(texts[0]), "one"), 0); /* no dict */
	assert_int_equal(objects_dict_find(o, 8, "one"), 0);
	dict.object[OBJECT_TYPE / 8] = at(forged_types[FORGED_OTHER]);
	assert_int_equal(objects_dict_find(o, at(&dict), "one"), 0);
}

/* The values of instances of one class may lie apart from the keys that they share. */
static void attributes(void **state)
{
	struct objects *o = &forged_objects;
	__u64 values[3] = { at(texts[2]), at(texts[1]), at(texts[0]) };
	__u64 managed[8] __attribute__((aligned(16))) = { 0 };

	(void)state;
	forge_object(instance, FORGED_INSTANCE);
	instance[2] = at(&dict);
	assert_int_equal(objects_attribute(o, at(instance), "two"), at(texts[1]));
	assert_int_equal(objects_attribute(o, at(instance), "none"), 0);
	forged_types[FORGED_INSTANCE][TYPE_FLAGS / 8] |= OBJECTS_MANAGED_DICT;
	forge_object(managed + 4, FORGED_INSTANCE);
	managed[1] = at(&dict); /* three words before the object */
	assert_int_equal(objects_attribute(o, at(managed + 4), "one"), at(texts[0]));
	managed[0] = at(values);
	assert_int_equal(objects_attribute(o, at(managed + 4), "one"), 0); /* its class has no keys */
}

static void attributes_in_slots(void **state)
{
	static const char name[] = "_host_task";
	__u64 members[10] = { at(name), 16, 24 };

	(void)state;
	forged_types[FORGED_INSTANCE][TYPE_DICT_OFFSET / 8] = 0;
	forged_types[FORGED_INSTANCE][TYPE_MEMBERS / 8] = at(members);
	forge_object(instance, FORGED_INSTANCE);
	instance[3] = at(texts[1]);
	assert_int_equal(objects_attribute(&forged_objects, at(instance), name), at(texts[1]));
	members[1] = 3; /* of another type than an object */
	assert_int_equal(objects_attribute(&forged_objects, at(instance), name), 0);
}

static int count(void *n, __u64 key, __u64 value)
{
	(void)key;
	(void)value;
	++*(int *)n;
	return 0;
}

static void forge_set(__u64 mask, __u64 used)
{
	forge_object(set_object, FORGED_SET);
	set_object[SET_USED / 8] = set_object[OBJECT_FIRST / 8] = used;
	set_object[SET_MASK / 8] = mask;
	set_object[SET_TABLE / 8] = at(slots);
}

static void what_is_in_a_set(void **state)
{
	int n = 0;

	(void)state;
	forge_set(7, 2);
	slots[0] = at(texts[0]);
	slots[4] = at(texts[1]);
	slots[6] = at(texts[2]);
	slots[7] = ~0ULL; /* that was taken out */
	assert_int_equal(objects_set_each(&forged_objects, at(set_object), count, &n), 0);
	assert_int_equal(n, 2);
	set_object[SET_MASK / 8] = 6;
	assert_int_equal(objects_set_each(&forged_objects, at(set_object), count, &n), -EBADMSG);
	forge_set(~0ULL, 2);
	assert_int_equal(objects_set_each(&forged_objects, at(set_object), count, &n), -EBADMSG);
	forge_set(7, 9);
	assert_int_equal(objects_set_each(&forged_objects, at(set_object), count, &n), -EBADMSG);
	forge_set(7, 2);
	set_object[SET_TABLE / 8] = 4096;
	assert_int_equal(objects_set_each(&forged_objects, at(set_object), count, &n), -EAGAIN);
	assert_int_equal(objects_set_each(&forged_objects, at(&dict), count, &n), -EBADMSG);
}

static void types(void **state)
{
	struct objects *o = &forged_objects;
	const __u64 task = at(forged_types[FORGED_TASK]), future = at(forged_types[FORGED_FUTURE]);

	(void)state;
	assert_true(objects_is_derived(o, task, task));
	assert_true(objects_is_derived(o, task, future));
	assert_false(objects_is_derived(o, future, task));
	forged_types[FORGED_FUTURE][TYPE_BASE / 8] = task; /* a circle */
	assert_false(objects_is_derived(o, future, at(forged_types[FORGED_LIST])));
}

/* Any words anywhere, the same in each run: each call ends, with no more reads than there are. */
static void spoilt(void **state)
{
	static const __u64 values[] = { 0, 1, 7, 4096, 1ULL << 31, 1ULL << 47, ~0ULL, ~7ULL };
	__u64 *const words = (__u64 *)&dict;
	struct objects *o = &forged_objects;
	int n = 0;

	for (size_t i = 0; i < sizeof(dict) / 8; i++)
		for (size_t k = 0; k < ARRAY_SIZE(values); k++) {
			begin(state);
			words[i] = values[k];
			o->reads_max = 2000;
			objects_dict_find(o, at(&dict), "nothing");
			objects_dict_each(o, at(&dict), count, &n);
			assert_true(o->reads <= o->reads_max);
			assert_int_equal(o->unreachable, 0);
		}
	begin(state);
	o->reads_max = 3;
	assert_int_equal(objects_dict_each(o, at(&dict), count, &n), -E2BIG);
}

static void a_process_that_is_gone(void **state)
{
	__u64 word;

	(void)state;
	forged_objects.memory = 1 << 30;
	assert_int_equal(objects_read(&forged_objects, at(&dict), &word, sizeof(word)), -ESRCH);
	assert_int_equal(forged_objects.unreachable, -ESRCH);
	assert_int_equal(objects_dict_find(&forged_objects, at(&dict), "one"), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, begin)
	const struct CMUnitTest tests[] = {
		TEST(a_value_by_its_key), TEST(attributes), TEST(attributes_in_slots), TEST(what_is_in_a_set),
		TEST(types), TEST(spoilt), TEST(a_process_that_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
