// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_objects.c - objects as in 3.11 and of a free-threaded 3.14, whole and spoilt in every word: what is
 * found is right, each call ends, and no more is read than was allowed. That real ones of each version are
 * read rightly is shown by tests/e2e/tasks/test_tasks_found.py and test_trace.py.
 */
#include <errno.h>

#include "tests/forge/test.h"
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

TEST(a_value_by_its_key)
{
	struct objects *o = &forged_objects;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_int_equal(objects_dict_find(o, at(&dict), names[i]), at(texts[i]));
	assert_int_equal(objects_dict_find(o, at(&dict), "on"), 0);
	assert_int_equal(objects_dict_find(o, at(&dict), "ones"), 0);
	assert_int_equal(objects_dict_find(o, at(texts[0]), "one"), 0); /* no dict */
	assert_int_equal(objects_dict_find(o, 8, "one"), 0);
	dict.object[OBJECT_TYPE / 8] = at(forged_types[FORGED_OTHER]);
	assert_int_equal(objects_dict_find(o, at(&dict), "one"), 0);
}

/* What is no key leaves what there was. */
TEST(several_values)
{
	static const char *const wanted[] = { "two", "three", "one" };
	__u64 values[] = { 7, 7, 7 };

	assert_false(objects_dict_get(&forged_objects, at(&dict), wanted, 3, values));
	assert_true(values[0] == at(texts[1]) && values[1] == 7 && values[2] == at(texts[0]));
	assert_true(objects_dict_get(&forged_objects, at(&dict), wanted, 1, values));
	assert_false(objects_dict_get(&forged_objects, at(&dict), wanted, OBJECTS_KEYS + 1, values));
}

TEST(what_a_text_is)
{
	const struct layout *l = forged_objects.layout;
	__u32 *const kind = (__u32 *)((char *)texts[0] + l->str_state);
	char text[4 * OBJECTS_TEXT], most[OBJECTS_TEXT + 1];
	__u64 *const length = &texts[0][l->str_length / 8];
	struct objects *o = &forged_objects;

	assert_int_equal(objects_text(o, at(texts[0]), text, sizeof(text)), 0);
	assert_string_equal(text, "one");
	assert_int_equal(objects_which_text(o, at(texts[0]), names, 3), 0);
	assert_int_equal(objects_which_text(o, at(texts[2]), names, 3), 2);
	assert_int_equal(objects_which_text(o, at(texts[2]), names, 2), -1);
	memset(most, 'x', sizeof(most));
	most[OBJECTS_TEXT] = '\0';
	forge_text(texts[0], most);
	*length = OBJECTS_TEXT_MAX;
	assert_int_equal(objects_text(o, at(texts[0]), text, sizeof(text)), -EBADMSG);
	*length = OBJECTS_TEXT - 1;
	assert_int_equal(objects_text(o, at(texts[0]), text, sizeof(text)), 0);
	assert_int_equal(strlen(text), OBJECTS_TEXT - 1);
	assert_false(objects_is_text(o, at(texts[0]), most));
	/* Characters of two bytes, and those that stand elsewhere. */
	*length = 2;
	*kind = 2U << l->str_kind_shift | 1U << l->str_compact_bit;
	memcpy((char *)texts[0] + l->str_compact, u"\u00e9\u20ac", 4);
	assert_int_equal(objects_text(o, at(texts[0]), text, sizeof(text)), 0);
	assert_string_equal(text, "\u00e9\u20ac");
	*kind = 1U << l->str_kind_shift;
	texts[0][l->str_data / 8] = at(most) & ~7ULL;
	assert_int_equal(objects_text(o, at(texts[0]), text, sizeof(text)), 0);
	texts[0][l->str_data / 8] = 0;
	assert_int_equal(objects_text(o, at(texts[0]), text, sizeof(text)), -EFAULT);
	*kind = 3U << l->str_kind_shift;
	assert_int_equal(objects_text(o, at(texts[0]), text, sizeof(text)), -EBADMSG);
}

/* By its name, before which the module's may stand; once met, by the type. */
TEST(what_an_object_is)
{
	struct objects *o = &forged_objects;
	__u64 task = 0, other = 0;

	forge_object(instance, FORGED_TASK);
	assert_int_equal(objects_type(o, at(instance)), at(forged_types[FORGED_TASK]));
	assert_false(objects_is(o, at(instance), "", "Task", &task));
	assert_false(objects_is(o, at(instance), "_asyncio.", "Tas", &task));
	assert_int_equal(task, 0);
	assert_true(objects_is(o, at(instance), "_asyncio.", "Task", &task));
	assert_int_equal(task, at(forged_types[FORGED_TASK]));
	forged_types[FORGED_TASK][(OBJECT_HEAD + TYPE_NAME) / 8] = 0;
	assert_true(objects_is(o, at(instance), "_asyncio.", "Task", &task));
	assert_false(objects_is(o, at(instance), "_asyncio.", "Task", &other));
	assert_false(objects_is(o, 8, "", "Task", &task));
}

/* The dict's keys become a class's table of the names of its instances' attributes. */
static void share_names_of_dict(void)
{
	__u64 *const type = forged_types[FORGED_INSTANCE];

	type[(OBJECT_HEAD + TYPE_FLAGS) / 8] |= OBJECTS_MANAGED_DICT;
	*(__u64 *)((char *)type + forged_objects.facts->cached_keys) = at(dict.head);
	dict.head[1] |= 2 << 16;
	for (int i = 0; i < 3; i++) { /* an entry has no hash now */
		dict.entries[i / 3][i % 3] = 0;
		((__u64 *)dict.entries)[2 * i] = at(texts[i]);
	}
}

/* The values of instances of one class may lie apart from the keys that they share. */
TEST(attributes)
{
	struct objects *o = &forged_objects;
	__u64 values[3] = { at(texts[2]), at(texts[1]), at(texts[0]) };
	__u64 managed[8] __attribute__((aligned(16))) = { 0 };

	forge_object(instance, FORGED_INSTANCE);
	instance[2] = at(&dict);
	assert_int_equal(objects_attribute(o, at(instance), "two"), at(texts[1]));
	assert_int_equal(objects_attribute(o, at(instance), "none"), 0);
	forged_types[FORGED_INSTANCE][(OBJECT_HEAD + TYPE_FLAGS) / 8] |= OBJECTS_MANAGED_DICT;
	forge_object(managed + 4, FORGED_INSTANCE);
	managed[1] = at(&dict); /* three words before the object */
	assert_int_equal(objects_attribute(o, at(managed + 4), "one"), at(texts[0]));
	managed[0] = at(values);
	assert_int_equal(objects_attribute(o, at(managed + 4), "one"), 0); /* its class has no keys */
	*(__u64 *)((char *)forged_types[FORGED_INSTANCE] + o->facts->cached_keys) = at(dict.head);
	assert_int_equal(objects_attribute(o, at(managed + 4), "one"), 0); /* they are of a dict */
	share_names_of_dict();
	assert_int_equal(objects_attribute(o, at(managed + 4), "one"), at(texts[2]));
	assert_int_equal(objects_attribute(o, at(managed + 4), "_asyncio"), at(texts[0]));
	assert_int_equal(objects_attribute(o, at(managed + 4), "none"), 0);
}

/* The names of a class's attributes are read once, and again when they have changed. */
TEST(attributes_again)
{
	static const char name[] = "_asyncio";
	struct objects *o = &forged_objects;
	__u64 values[3] = { at(texts[2]), at(texts[1]), at(texts[0]) };
	__u64 managed[8] __attribute__((aligned(16))) = { at(values) };
	__u64 *const entries = (__u64 *)dict.entries;
	__u32 first, second;

	share_names_of_dict();
	forge_object(managed + 4, FORGED_INSTANCE);
	first = o->reads;
	assert_int_equal(objects_attribute(o, at(managed + 4), name), at(texts[0]));
	first = o->reads - first;
	second = o->reads;
	for (int i = 0; i < 10; i++)
		assert_int_equal(objects_attribute(o, at(managed + 4), name), at(texts[0]));
	second = (o->reads - second) / 10;
	assert_in_range(second, 1, first - 3); /* the name, not table, entries and two names before */
	entries[2 * 2] = at(texts[0]);
	entries[2 * 0] = at(texts[2]);
	assert_int_equal(objects_attribute(o, at(managed + 4), name), at(texts[2]));
	entries[2 * 0] = 0;
	assert_int_equal(objects_attribute(o, at(managed + 4), name), 0);
}

TEST(attributes_in_slots)
{
	static const char name[] = "_host_task";
	__u64 members[10] = { at(name), 16, 24 };

	forged_types[FORGED_INSTANCE][(OBJECT_HEAD + TYPE_DICT_OFFSET) / 8] = 0;
	forged_types[FORGED_INSTANCE][(OBJECT_HEAD + TYPE_MEMBERS) / 8] = at(members);
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
	set_object[(OBJECT_HEAD + SET_USED) / 8] = set_object[OBJECT_FIRST / 8] = used;
	set_object[(OBJECT_HEAD + SET_MASK) / 8] = mask;
	set_object[(OBJECT_HEAD + SET_TABLE) / 8] = at(slots);
}

TEST(what_is_in_a_set)
{
	int n = 0;

	forge_set(7, 2);
	slots[0] = at(texts[0]);
	slots[4] = at(texts[1]);
	slots[6] = at(texts[2]);
	slots[7] = ~0ULL; /* that was taken out */
	assert_int_equal(objects_set_each(&forged_objects, at(set_object), count, &n), 0);
	assert_int_equal(n, 2);
	set_object[(OBJECT_HEAD + SET_MASK) / 8] = 6;
	assert_int_equal(objects_set_each(&forged_objects, at(set_object), count, &n), -EBADMSG);
	forge_set(~0ULL, 2);
	assert_int_equal(objects_set_each(&forged_objects, at(set_object), count, &n), -EBADMSG);
	forge_set(7, 9);
	assert_int_equal(objects_set_each(&forged_objects, at(set_object), count, &n), -EBADMSG);
	forge_set(7, 2);
	set_object[(OBJECT_HEAD + SET_TABLE) / 8] = 4096;
	assert_int_equal(objects_set_each(&forged_objects, at(set_object), count, &n), -EAGAIN);
	assert_int_equal(objects_set_each(&forged_objects, at(&dict), count, &n), -EBADMSG);
}

TEST(types)
{
	struct objects *o = &forged_objects;
	const __u64 task = at(forged_types[FORGED_TASK]), future = at(forged_types[FORGED_FUTURE]);

	assert_true(objects_is_derived(o, task, task));
	assert_true(objects_is_derived(o, task, future));
	assert_false(objects_is_derived(o, future, task));
	forged_types[FORGED_FUTURE][(OBJECT_HEAD + TYPE_BASE) / 8] = task; /* a circle */
	assert_false(objects_is_derived(o, future, at(forged_types[FORGED_LIST])));
}

/* Everything stands 16 bytes further on, but what instances have before them. */
TEST(without_the_gil)
{
	static forged_object type, dict_type, of_class;
	static const char name[] = "Thing";
	__u64 words[24] __attribute__((aligned(16))) = { 0 }, *const object = words + 8, key = 0;
	struct layout layout = *layout_of_build(layout_find(0x030e0000), true);
	struct objects *o = &forged_objects;

	layout.version = 0x030e06f0;
	objects_begin(o, getpid(), &layout, 1000);
	assert_null(o->facts);
	type[(o->head + TYPE_NAME) / 8] = at(name);
	type[(o->head + TYPE_FLAGS) / 8] = OBJECTS_MANAGED_DICT | OBJECTS_INLINE_VALUES | OBJECTS_HEAP_TYPE;
	type[(o->head + TYPE_BASIC_SIZE) / 8] = 48;
	type[50] = at(of_class); /* its keys: 8 indices, and entries of two words */
	of_class[1] = 3 | 3 << 8 | 2 << 16;
	of_class[3] = 1;
	of_class[5] = forge_text(texts[0], "tenant");
	object[3] = at(type);
	object[48 / 8 + 1] = at(texts[1]);
	assert_int_equal(objects_type(o, at(object)), at(type));
	assert_int_equal(objects_attribute_index(o, at(type), "tenant", &key), 0);
	assert_int_equal(key, at(texts[0]));
	assert_int_equal(objects_attribute_index(o, at(type), "tenants", &key), -1);
	assert_int_equal(objects_attribute(o, at(object), "tenant"), at(texts[1]));
	dict_type[(o->head + TYPE_FLAGS) / 8] = OBJECTS_DICT;
	object[-1] = at(words); /* it was given a dict, which is as good as empty */
	words[3] = at(dict_type);
	assert_int_equal(objects_attribute(o, at(object), "tenant"), 0);
}

/* Any words anywhere, the same in each run: each call ends, with no more reads than there are. */
TEST(spoilt)
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

TEST(a_process_that_is_gone)
{
	__u64 word;

	forged_objects.memory = 1 << 30;
	assert_int_equal(objects_read(&forged_objects, at(&dict), &word, sizeof(word)), -ESRCH);
	assert_int_equal(forged_objects.unreachable, -ESRCH);
	assert_int_equal(objects_dict_find(&forged_objects, at(&dict), "one"), 0);
}

static int begin_all(void **state)
{
	(void)state;
	return 0;
}

AROUND_EACH(begin, NULL);
AROUND_ALL(begin_all, NULL);
