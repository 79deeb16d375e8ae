// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_context_look.c - context variables in this process's own memory, forged as 3.12 has them: they are
 * found by name in trees of all kinds of nodes, and whatever else stands there ends the look.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "remote/context_look.h"
#include "tests/forge/test.h"

#define WORDS 8192
#define HASH  (3 | 4 << 5 | 31 << 10)

static __u64 memory[WORDS];
static size_t used;

static const struct layout layout = {
	.version = 0x030c00f0,
	.tstate_next = 8, .tstate_interp = 16, .tstate_thread_id = 24, .tstate_status = 40,
	.interp_next = 0, .interp_threads = 8, .runtime_interpreters = 8,
	.str_length = 16, .str_state = 32, .str_ascii = 40, .str_compact = 56, .str_data = 56,
	.str_kind_shift = 2, .str_compact_bit = 5, .str_ascii_bit = 6
};

enum { TYPE_CONTEXT = CONTEXT_TYPES, TYPE_TREE, TYPE_VARIABLE, TYPE_OTHER, ALL_TYPES };
static const char *const type_names[ALL_TYPES] = {
	"hamt_bitmap_node", "hamt_array_node", "hamt_collision_node", "str", "int", "bool", "NoneType",
	"_contextvars.Context", "hamt", "_contextvars.ContextVar", "Contexts"
};
static __u64 *types[ALL_TYPES], *runtime, *interpreter, *thread, *tree;

static __u64 *make(size_t words)
{
	__u64 *at = &memory[used];

	used += words;
	assert_true(used <= WORDS);
	return at;
}

static __u64 address_of(const void *p)
{
	return (uintptr_t)p;
}

static __u64 *object(int type, size_t words)
{
	__u64 *at = make(2 + words);

	at[1] = address_of(types[type]);
	return at;
}

static __u64 *text(const char *value)
{
	__u64 *at = object(CONTEXT_STR, 3 + 16);

	at[2] = strlen(value);
	at[4] = 1 << 2 | 1 << 5 | 1 << 6;
	memcpy((char *)at + 40, value, strlen(value));
	return at;
}

static __u64 *variable(const char *name, __u64 hash)
{
	__u64 *at = object(TYPE_VARIABLE, 6);

	at[2] = address_of(text(name));
	at[7] = hash;
	return at;
}

/* A bitmap node of one pair; without a key it is a child. */
static __u64 *bitmap(__u32 bit, const void *key, const void *value)
{
	__u64 *at = object(CONTEXT_BITMAP, 4);

	at[2] = 2;
	at[3] = 1U << bit;
	at[4] = address_of(key);
	at[5] = address_of(value);
	return at;
}

static __u64 *add_thread(void)
{
	__u64 *at = make(256);

	at[1] = interpreter[1];
	at[2] = address_of(interpreter);
	interpreter[1] = address_of(at);
	return at;
}

static int setup(void **state)
{
	(void)state;
	memset(memory, 0, sizeof(memory));
	used = 0;
	for (int i = 0; i < ALL_TYPES; i++) {
		types[i] = make(32);
		types[i][3] = address_of(type_names[i]);
	}
	runtime = make(4);
	interpreter = make(4);
	runtime[1] = address_of(interpreter);
	thread = add_thread();
	tree = object(TYPE_TREE, 1);
	return 0;
}

/* The thread has a context, with its values in this node. */
static void use(const __u64 *root)
{
	__u64 *context = object(TYPE_CONTEXT, 3);

	tree[2] = address_of(root);
	context[3] = address_of(tree);
	thread[26] = address_of(context);
}

static int look(const char *wanted, struct context_vars *ret)
{
	struct context_names names;
	int err;

	assert_int_equal(context_names_parse(wanted, &names), 0);
	err = context_look(getpid(), &layout, address_of(runtime), &names, ret);
	if (err)
		return err;
	assert_true(context_vars_are_sane(ret, &names));
	return 0;
}

TEST(in_a_tree)
{
	const __u64 *v = variable("tenant", HASH), *number = object(CONTEXT_INT, 2);
	__u64 *array = object(CONTEXT_ARRAY, 33), *same = object(CONTEXT_COLLISION, 2 + 4);
	struct context_vars found;

	same[2] = 4;
	same[4] = address_of(variable("another", HASH));
	same[5] = address_of(object(CONTEXT_NONE, 0));
	same[6] = address_of(v);
	same[7] = address_of(number);
	array[2 + 4] = address_of(same);
	use(bitmap(3, NULL, array));
	assert_int_equal(look("user,tenant", &found), 0);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.keys[0].address, address_of(v));
	assert_int_equal(found.keys[0].hash, HASH);
	assert_int_equal(found.label[0], 1);
	assert_int_equal(found.tstate_context, 8 * 26);
	assert_true(found.head == 16 && found.var_hash == 56 && found.int_tag);
	assert_int_equal(found.types[CONTEXT_COLLISION], address_of(types[CONTEXT_COLLISION]));
	assert_int_equal(found.types[CONTEXT_INT], address_of(types[CONTEXT_INT]));
	assert_int_equal(found.types[CONTEXT_STR], address_of(types[CONTEXT_STR]));
	assert_int_equal(found.types[CONTEXT_NONE], 0); /* of a variable that nobody asked for */
}

/* Names are compared whole, and as they are. */
TEST(names)
{
	struct context_vars found;
	__u64 *v = variable("tenant", HASH);

	use(bitmap(3, v, text("")));
	assert_int_equal(look("tenan,tenants,Tenant,*", &found), 0);
	assert_int_equal(found.count, 0);
	v[2] = address_of(text("a name that is much longer than any that can be asked for by the option"));
	assert_int_equal(look("tenant", &found), 0);
	assert_int_equal(found.count, 0);
}

/* What has another hash, or is another object, is not where a variable would be. */
TEST(what_is_no_variable)
{
	struct context_vars found;
	__u64 *v = variable("tenant", HASH);

	use(bitmap(2, v, text("")));
	assert_int_equal(look("tenant", &found), 0);
	assert_int_equal(found.count, 0);
	use(bitmap(3, v, text("")));
	assert_int_equal(look("tenant", &found), 0);
	assert_int_equal(found.count, 1);
	v[1] = address_of(types[TYPE_OTHER]);
	assert_int_equal(look("tenant", &found), 0);
	assert_int_equal(found.count, 0);
}

TEST(where_the_context_is)
{
	struct context_vars found;

	assert_int_equal(look("tenant", &found), -ENOENT);
	thread[9] = address_of(object(TYPE_OTHER, 4));
	assert_int_equal(look("tenant", &found), -ENOENT);
	use(bitmap(3, variable("tenant", HASH), text("")));
	thread = add_thread(); /* another one, which has none */
	assert_int_equal(look("tenant", &found), 0);
	assert_int_equal(found.tstate_context, 8 * 26);
	assert_int_equal(found.count, 1);
	interpreter[1] = address_of(thread);
	thread[1] = 0;
	use(bitmap(3, variable("tenant", HASH), text("")));
	thread[30] = thread[26];
	assert_int_equal(look("tenant", &found), -EBADMSG);
	assert_int_equal(context_look(1 << 30, &layout, 8, &(struct context_names){ .count = 1 },
				      &found),
			 -ESRCH);
}

TEST(circles)
{
	__u64 *array = object(CONTEXT_ARRAY, 33), *node = bitmap(0, NULL, array);
	struct context_vars found;

	for (int i = 0; i < 32; i++)
		array[2 + i] = address_of(i % 2 ? array : node);
	use(array);
	assert_int_equal(look("tenant", &found), 0);
	assert_int_equal(found.count, 0);
}

/* Some words are others; what is said of it can always be so. */
TEST(words_that_are_others)
{
	int different = 0;

	srand(1);
	for (int round = 0; round < 300; round++) {
		struct context_vars found;

		setup(state);
		in_a_tree(state);
		for (int i = 0; i < 8; i++) {
			const __u64 words[] = { memory[(size_t)rand() % used],
						address_of(&memory[(size_t)rand() % used]), (__u64)rand() };

			memory[(size_t)rand() % used] = words[rand() % 3];
		}
		different += look("user,tenant", &found) || found.count != 1;
	}
	assert_true(different > 10);
}

AROUND_EACH(setup, NULL);
