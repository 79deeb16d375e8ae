// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_context.c - values of context variables, in forged memory: trees of each kind of node, variables of
 * one hash, values of all kinds, variables that are others by now, and memory that is anything.
 */
#include <stdio.h>

#include "tests/forge/hosted.h"
#include "tests/forge/test.h"

const volatile __u8 opt_contexts = 2;

#define BASE  0x7f0000000000ULL
#define WORDS 16384 /* of memory, from BASE on */
#define PID   4711

#include "tests/forge/flat_words.h"

/* As 3.12's. */
static struct layout layout = {
	.version = 0x030c00f0, .str_length = 16, .str_state = 32, .str_ascii = 40, .str_compact = 56,
	.str_data = 56, .str_kind_shift = 2, .str_compact_bit = 5, .str_ascii_bit = 6
};
static const char *const type_names[CONTEXT_TYPES + 1] = { "hamt_bitmap_node", "hamt_array_node",
							     "hamt_collision_node", "str", "int", "bool",
							     "NoneType", "object" };
static struct context_vars vars;
static __u64 types[CONTEXT_TYPES + 1], tstate, root;
static bool is_late; /* the sample's time is over, */
static struct scratch *s;

static __u64 object(enum context_type type, __u32 words)
{
	const __u64 address = make(2 + words);

	at(address)[1] = types[type];
	return address;
}

static int setup(void **state)
{
	(void)state;
	if (hosted_begin())
		return -1;
	hosted.process = (struct process){ 0 };
	s = hosted.scratch;
	s->who.process = 1;
	s->who.known.contexts = 1;
	s->who.known_tgid = hosted_task.tgid = PID;
	flat_begin();
	for (int i = 0; i <= CONTEXT_TYPES; i++) {
		const __u64 name = make(4);

		types[i] = make(32);
		snprintf((char *)at(name), 4 * sizeof(__u64), "%s", type_names[i]);
		at(types[i])[3] = name;
		at(types[i])[21] = i == CONTEXT_STR			      ? FLAG_STR :
				   i == CONTEXT_INT || i == CONTEXT_BOOL ? FLAG_INT :
									   0;
	}
	tstate = make(4);
	root = 0;
	vars = (struct context_vars){ .tstate_context = 16, .head = 16, .var_hash = 56, .int_tag = 1 };
	memcpy(vars.types, types, sizeof(vars.types));
	hosted.contexts = &vars;
	return 0;
}

/* A variable, which is asked for as this label. */
static __u64 variable(__u64 hash, __u8 label)
{
	const __u64 address = make(8);

	at(address)[7] = hash;
	if (label < CONTEXT_LABELS) {
		vars.keys[vars.count] = (struct context_key){ address, hash };
		vars.label[vars.count++] = label;
	}
	return address;
}

static __u64 text(const char *value)
{
	const __u64 address = object(CONTEXT_STR, 3 + 16);

	at(address)[2] = strlen(value);
	at(address)[4] = 1 << 2 | 1 << 5 | 1 << 6;
	memcpy((char *)at(address) + 40, value, strlen(value));
	return address;
}

static __u64 integer(__u64 tag, __u32 first, __u32 second, __u32 third)
{
	const __u64 address = object(CONTEXT_INT, 4);

	at(address)[2] = tag;
	at(address)[3] = (__u64)second << 32 | first;
	at(address)[4] = third;
	return address;
}

/* A bitmap node of so many pairs, which stand in the order of their bits. */
static __u64 bitmap(__u32 bits, const __u64 (*pairs)[2], int count)
{
	const __u64 node = object(CONTEXT_BITMAP, 2 + 2 * count);

	at(node)[2] = 2 * count;
	at(node)[3] = bits;
	if (count)
		memcpy(&at(node)[4], pairs, sizeof(*pairs) * count);
	return node;
}

static void use(__u64 tree_root)
{
	const __u64 context = make(4), tree = make(3);

	root = tree_root;
	at(tstate)[2] = context;
	at(context)[3] = tree;
	at(tree)[2] = root;
}

/* The text of the label; "" = the sample has none. */
static const char *label(__u32 number)
{
	static char shown[NAME_BYTES + 1];
	const struct record_code *e = &s->record;

	for (int i = 0; i < ATTRIBUTES_OF_TICKS; i++)
		s->attribute[i] = 0;
	for (__u32 i = 0; i < HOSTED_CODES; i++)
		hosted.codes[i].state = 0; /* each text is sent anew */
	budget_begin(&s->walk, is_late);
	s->walk.deadline = is_late;
	s->walk.steps = is_late ? LATE_STEPS - 1 : 0; /* ... and it asks now */
	context_read(s, &hosted.stats, &layout, tstate);
	if (!s->attribute[ATTRIBUTE_VARIABLE0 + number])
		return "";
	snprintf(shown, sizeof(shown), "%.*s", e->name.bytes, (const char *)e->data);
	return shown;
}

TEST(a_thread_without_context)
{
	variable(1, 0);
	assert_string_equal(label(0), "");
	at(tstate)[2] = 12;
	assert_string_equal(label(0), "");
	use(bitmap(0, NULL, 0));
	assert_string_equal(label(0), "");
}

/* Others may have had the sample's time, or a virtual machine its CPU. What is not found then is counted. */
TEST(when_the_time_is_over)
{
	const __u64 v = variable(1, 0);
	const __u64 pairs[1][2] = { { v, text("acme") } };

	use(bitmap(1 << 1, pairs, 1));
	assert_string_equal(label(0), "acme");
	assert_int_equal(hosted.stats.context_values_late, 0);
	is_late = true;
	assert_string_equal(label(0), "");
	assert_int_equal(hosted.stats.context_values_late, 1);
	is_late = false;
	assert_string_equal(label(0), "acme");
}

/* It is among the bytes of the thread state that were read, and is not read again. */
TEST(a_context_that_was_read)
{
	const __u64 v = variable(1, 0);
	const __u64 pairs[1][2] = { { v, text("acme") } };

	use(bitmap(1 << 1, pairs, 1));
	memcpy(s->tstate, at(tstate), 24);
	at(tstate)[2] = 0;
	assert_string_equal(label(0), "");
	layout.tstate_size = 23;
	assert_string_equal(label(0), "");
	layout.tstate_size = 24;
	assert_string_equal(label(0), "acme");
	layout.tstate_size = 0;
}

TEST(values_of_all_kinds)
{
	static const struct {
		__u64 tag;
		__u32 digits[3];
		const char *shown;
	} numbers[] = {
		{ 1, { 0, 0, 0 }, "0" }, /* zero has no digit */
		{ 1 << 3, { 7, 99, 99 }, "7" },
		{ 1 << 3 | 2, { 7, 0, 0 }, "-7" },
		{ 2 << 3, { 0, 1, 99 }, "1073741824" },
		{ 3 << 3, { DIGIT_MASK, DIGIT_MASK, 15 }, "18446744073709551615" },
		{ 3 << 3 | 2, { DIGIT_MASK, DIGIT_MASK, 15 }, "-18446744073709551615" },
		{ 3 << 3, { 0, 0, 16 }, "" }, /* 65 bits */
		{ 4 << 3, { 0, 0, 0 }, "" },
	};
	const __u64 v = variable(0x12345, 0);
	__u64 pairs[1][2] = { { v, text("acme") } }, yes;

	use(bitmap(1 << (0x12345 & 31), pairs, 1));
	assert_string_equal(label(0), "acme");
	at(root)[5] = text("");
	assert_string_equal(label(0), "");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const __u32 *d = numbers[i].digits;

		at(root)[5] = integer(numbers[i].tag, d[0], d[1], d[2]);
		assert_string_equal(label(0), numbers[i].shown);
	}
	assert_int_equal(hosted.stats.context_values_other, 2);
	yes = integer(1 << 3, 1, 0, 0);
	at(yes)[1] = types[CONTEXT_BOOL];
	at(root)[5] = yes;
	assert_string_equal(label(0), "True");
	at(yes)[3] = 0;
	assert_string_equal(label(0), "False");
	at(root)[5] = object(CONTEXT_NONE, 0);
	assert_string_equal(label(0), "");
	assert_int_equal(hosted.stats.context_values_other, 2);
	at(root)[5] = object(CONTEXT_TYPES, 0);
	assert_string_equal(label(0), "");
	assert_int_equal(hosted.stats.context_values_other, 3);
}

/* Up to 3.11 an int has the number of its digits, which is negative if it is. */
TEST(ints_without_tags)
{
	const __u64 v = variable(1, 0);
	__u64 pairs[1][2] = { { v, integer(-2, 5, 1, 0) } };

	vars.int_tag = 0;
	use(bitmap(1 << 1, pairs, 1));
	assert_string_equal(label(0), "-1073741829");
	at(pairs[0][1])[2] = 0;
	assert_string_equal(label(0), "0");
}

/* Numbers that differ only in sign, or only in kind, are different values. */
TEST(no_two_values_are_one)
{
	static const struct {
		__u64 tag;
		__u32 low;
		int is_bool;
	} rows[] = { { 1, 0, 0 }, { 1, 0, 1 }, { 1 << 3, 1, 0 }, { 1 << 3, 1, 1 }, { 1 << 3 | 2, 1, 0 },
		     { 1 << 3, 2, 0 }, { 1 << 3 | 2, 2, 0 }, { 1 << 3, 3, 0 }, { 1 << 3 | 2, 3, 0 } };
	const __u64 v = variable(1, 0);
	__u64 pairs[1][2] = { { v, 0 } };
	__u32 numbers[sizeof(rows) / sizeof(rows[0])];

	use(bitmap(1 << 1, pairs, 1));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		at(root)[5] = integer(rows[i].tag, rows[i].low, 0, 0);
		if (rows[i].is_bool)
			at(at(root)[5])[1] = types[CONTEXT_BOOL];
		assert_string_not_equal(label(0), "");
		numbers[i] = s->attribute[ATTRIBUTE_VARIABLE0];
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(numbers[i], numbers[j]);
	}
}

TEST(levels_of_each_kind)
{
	const __u64 hash = 3 | 4 << 5 | 31 << 10;
	const __u64 v = variable(hash, 1), other = variable(9, CONTEXT_LABELS);
	const __u64 inner[1][2] = { { v, text("deep") } };
	const __u64 array = object(CONTEXT_ARRAY, 33);
	const __u64 outer[3][2] = { { other, text("1") }, { 0, array }, { other, text("2") } };

	at(array)[2 + 4] = bitmap(1U << 31, inner, 1);
	use(bitmap(1 << 1 | 1 << 3 | 1 << 7, outer, 3));
	assert_string_equal(label(1), "deep");
	assert_string_equal(label(0), "");
	at(array)[2 + 4] = 0;
	assert_string_equal(label(1), "");
	/* Types whose addresses are not known are known by their names. */
	at(array)[2 + 4] = bitmap(1U << 31, inner, 1);
	memset(vars.types, 0, sizeof(vars.types));
	assert_string_equal(label(1), "deep");
}

TEST(variables_of_one_hash)
{
	const __u64 hash = 5ULL << 40 | 6, node = object(CONTEXT_COLLISION, 2 + 2 * 10);
	const __u64 pairs[1][2] = { { 0, node } };
	__u64 v = 0;

	at(node)[2] = 20;
	for (int i = 0; i < 10; i++) {
		v = variable(hash, i == CONTEXT_SAME - 1 ? 0 : CONTEXT_LABELS);
		at(node)[4 + 2 * i] = v;
		at(node)[5 + 2 * i] = text(i == CONTEXT_SAME - 1 ? "this" : "another");
	}
	use(bitmap(1U << (context_hash(hash) & 31), pairs, 1));
	assert_string_equal(label(0), "this");
	vars.keys[0].address = v; /* one too many */
	assert_string_equal(label(0), "");
	at(node)[2] = 0;
	assert_string_equal(label(0), "");
}

/* At the variable's address there is another one by now. */
TEST(one_that_is_another)
{
	const __u64 v = variable(1, 0);
	const __u64 pairs[1][2] = { { v, text("of another") } };

	use(bitmap(1 << 1, pairs, 1));
	assert_string_equal(label(0), "of another");
	at(v)[7] = 1 | 1ULL << 32;
	assert_string_equal(label(0), "");
}

/* The first that has a value. */
TEST(several_of_one_name)
{
	const __u64 a = variable(1, 0), b = variable(2, 0), c = variable(3, 0);
	const __u64 pairs[2][2] = { { b, text("b") }, { c, text("c") } };

	(void)a;
	use(bitmap(1 << 2 | 1 << 3, pairs, 2));
	assert_string_equal(label(0), "b");
	at(root)[5] = object(CONTEXT_NONE, 0);
	assert_string_equal(label(0), "c");
}

TEST(too_many_values)
{
	const __u64 v = variable(1, 0);
	__u64 pairs[1][2] = { { v, integer(1 << 3, 0, 0, 0) } };

	use(bitmap(1 << 1, pairs, 1));
	hosted.process.generation = s->tree.generation;
	for (__u32 i = 1; i <= CONTEXT_VALUES_MAX + 9; i++) {
		at(pairs[0][1])[3] = i;
		assert_int_equal(*label(0) != '\0', i <= CONTEXT_VALUES_MAX);
	}
	assert_int_equal(hosted.stats.context_values_full, 9);
	at(pairs[0][1])[3] = 5; /* it is there already */
	assert_string_equal(label(0), "5");
}

TEST(circles)
{
	const __u64 v = variable(0xffffffff, 0);
	const __u64 pairs[1][2] = { { 0, 0 } };
	const __u64 node = bitmap(1U << 31, pairs, 1), array = object(CONTEXT_ARRAY, 33);

	(void)v;
	at(node)[5] = node;
	use(node);
	assert_string_equal(label(0), "");
	for (int i = 0; i < 32; i++)
		at(array)[2 + i] = array;
	use(array);
	assert_string_equal(label(0), "");
}

/* Some words are others: one of the tree, an address in it, or anything. It ends, within its steps. */
TEST(words_that_are_others)
{
	const __u32 from = used;
	__u32 found = 0;

	srand(1);
	for (int round = 0; round < 20000; round++) {
		memset(&memory[from], 0, sizeof(memory) - from * sizeof(memory[0]));
		used = from;
		vars.count = 0;
		levels_of_each_kind(state);
		for (int i = rand() % 6; i >= 0; i--) {
			const __u64 words[] = { memory[from + (__u32)rand() % (used - from)],
						BASE + 8 * (from + (__u64)rand() % (used - from)),
						(__u64)rand() << 40 ^ (__u64)rand() << 20 ^ (__u64)rand() };

			memory[from + (__u32)rand() % (used - from)] = words[rand() % 3];
		}
		memcpy(vars.types, types, sizeof(vars.types));
		s->walk.steps = 0;
		found += *label(1) != '\0';
		assert_true(s->walk.steps <= 2 * (CONTEXT_ALL + 1 + CONTEXT_SAME));
	}
	assert_true(found > 1000 && found < 19000); /* or the words were none that count */
}

AROUND_EACH(setup, hosted_teardown);
