// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_attributes.c - attributes of a sample, as nodes below its stack, become its labels: in any order, and
 * whatever stands there in tables that somebody forged. And labels from a frame that imports.
 */
#include "tests/forge/tables.h"

#include "tree/attributes.h"
#include "tests/forge/test.h"

static const char *variables[CONTEXT_LABELS];

static __u64 key_of(enum attribute attribute, __u32 value)
{
	return node_key(5, attribute_code(attribute, value), attribute_instr(value));
}

static const char *label_of(__u32 sample, enum label label)
{
	const struct profile_owner *o = profile_get_owner(profile, profile_get_sample(profile, sample).owner);

	return profile_get_string(profile, o->label[label]);
}

TEST(names_are_those_that_were_sent)
{
	struct profile_labels l = { .comm = "c" };

	add_code((1 << 20) - 1, "checkout", "", 0); /* the highest number that there is */
	attributes_fill(key_of(ATTRIBUTE_TASK, (1 << 20) - 1), codes, variables, &l);
	assert_string_equal(l.task, "checkout");
	attributes_fill(key_of(ATTRIBUTE_TASK, 103), codes, variables, &l);
	assert_null(l.task);
	attributes_fill(key_of(ATTRIBUTE_TASK, ~0U), codes, variables, &l);
	assert_null(l.task);
	assert_null(l.gil);
	assert_string_equal(l.comm, "c");
}

TEST(values_are_those_of_their_variable)
{
	struct profile_labels l = {};

	add_code(104, "acme", "", 0);
	add_code(105, "7", "", 0);
	attributes_fill(key_of(ATTRIBUTE_VARIABLE0, 104), codes, variables, &l);
	attributes_fill(key_of(ATTRIBUTE_VARIABLE3, 105), codes, variables, &l);
	assert_string_equal(variables[0], "acme");
	assert_null(variables[1]);
	assert_null(variables[2]);
	assert_string_equal(variables[3], "7");
	assert_null(l.task);
}

TEST(bits_are_those_of_states)
{
	struct profile_labels l = { .task = "t" };

	attributes_fill(key_of(ATTRIBUTE_STATES, STATE_BIT(RELEASED) | STATE_BIT(GC)), codes, variables, &l);
	assert_string_equal(l.gil, "released");
	assert_string_equal(l.gc, "yes");
	assert_null(l.exception);
	assert_string_equal(l.task, "t");
}

TEST(what_nobody_knows_is_no_label)
{
	const struct profile_labels none = {};
	struct profile_labels l = {};

	for (__u32 attribute = ATTRIBUTES; attribute < 1 << ATTRIBUTE_NUMBER_BITS; attribute++)
		attributes_fill(key_of(attribute, 0xffffffff), codes, variables, &l);
	assert_memory_equal(&l, &none, sizeof(l));
}

/* One stack with two attributes: one order, the other one, and one with an attribute that nobody knows. */
TEST(in_any_order)
{
	add_code(102, "checkout", "", 0);
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 0);
	set_attribute(30, 26, ATTRIBUTE_TASK, 102, 0);
	set_attribute(31, 30, ATTRIBUTE_STATES, STATE_BIT(HOLDS), 3);
	set_attribute(40, 26, ATTRIBUTE_STATES, STATE_BIT(HOLDS), 0);
	set_attribute(41, 40, ATTRIBUTE_TASK, 102, 5);
	set_attribute(50, 26, ATTRIBUTES, 77, 0);
	set_attribute(51, 50, ATTRIBUTE_TASK, 102, 0);
	set_attribute(52, 51, ATTRIBUTES + 1, 78, 0);
	set_attribute(53, 52, ATTRIBUTE_STATES, STATE_BIT(HOLDS), 7);
	run();
	assert_int_equal(profile_count(profile, PROFILE_SAMPLE), 1);
	assert_int_equal(profile_get_sample(profile, 1).count, 15);
	assert_int_equal(profile_get_sample(profile, 1).n, 1);
	assert_string_equal(label_of(1, LABEL_task), "checkout");
	assert_string_equal(label_of(1, LABEL_gil), "holds");
}

/* As a root's child, where no stack is, and in the middle of a stack. Nothing that was counted is lost. */
TEST(strange_places)
{
	set_root(25, 0, 0);
	set_attribute(26, 25, ATTRIBUTE_STATES, STATE_BIT(HOLDS), 3);
	set_attribute(27, 26, ATTRIBUTE_TASK, 103, 5);
	set_node(28, 27, 100, 1, 7);
	run();
	assert_string_equal(shown(), "100/100 main-now/main-now: [unknown]:0 = 8\n"
				     "100/100 main-now/main-now: outer:11 < [unknown]:0 < [unknown]:0 = 7\n");
}

TEST(each_row_makes_its_label, .bare = true)
{
#define STATE(name, key_, value, help)                                                                       \
	do {                                                                                                 \
		struct profile_labels labels = { .comm = "c" };                                              \
		attributes_fill(key_of(ATTRIBUTE_STATES, STATE_BIT(name)), NULL, variables, &labels);        \
		assert_string_equal(labels.key_, value);                                                     \
		assert_string_equal(labels.comm, "c");                                                       \
	} while (0);
#include "bpf/states.def"
#undef STATE
}

/* One stack: without a node of states, in two states, and in bits of none. */
TEST(stacks_are_those_of_their_parents)
{
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 3);
	set_attribute(27, 26, ATTRIBUTE_STATES, STATE_BIT(HOLDS), 5);
	set_attribute(28, 26, ATTRIBUTE_STATES, STATE_BIT(RELEASED) | STATE_BIT(EXCEPTION), 7);
	set_attribute(29, 26, ATTRIBUTE_STATES, 1U << STATES, 11);
	run();
	assert_int_equal(profile_count(profile, PROFILE_SAMPLE), 3);
	for (__u32 id = 1; id <= 3; id++) {
		const struct profile_stack s = profile_get_sample(profile, id);

		assert_int_equal(s.n, 1);
		assert_int_equal(s.locations[0], profile_get_sample(profile, 1).locations[0]);
	}
	assert_int_equal(profile_get_sample(profile, 1).count, 14);
	assert_string_equal(label_of(1, LABEL_gil), "");
	assert_string_equal(label_of(2, LABEL_gil), "holds");
	assert_string_equal(label_of(2, LABEL_exception), "");
	assert_string_equal(label_of(3, LABEL_gil), "released");
	assert_string_equal(label_of(3, LABEL_exception), "yes");
}

/* The stack is that of the node above the task, with and without states; a name that never came is none. */
TEST(a_task_is_a_label)
{
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 3);
	add_code(102, "checkout", "", 0);
	set_attribute(27, 26, ATTRIBUTE_TASK, 102, 5);
	set_attribute(28, 27, ATTRIBUTE_STATES, STATE_BIT(HOLDS), 7);
	set_attribute(29, 26, ATTRIBUTE_TASK, 103, 11);
	run();
	assert_int_equal(profile_count(profile, PROFILE_SAMPLE), 3);
	for (__u32 id = 1; id <= 3; id++)
		assert_int_equal(profile_get_sample(profile, id).locations[0],
				 profile_get_sample(profile, 1).locations[0]);
	assert_int_equal(profile_get_sample(profile, 1).count, 14);
	assert_string_equal(label_of(1, LABEL_task), "");
	assert_string_equal(label_of(2, LABEL_task), "checkout");
	assert_string_equal(label_of(2, LABEL_gil), "");
	assert_string_equal(label_of(3, LABEL_task), "checkout");
	assert_string_equal(label_of(3, LABEL_gil), "holds");
}

/* Whoever forges tables: such a node in a stack, as a root's child, and two of them. */
TEST(strange_places_of_states)
{
	set_root(25, 0, 0);
	set_attribute(26, 25, ATTRIBUTE_STATES, STATE_BIT(HOLDS), 3);
	set_attribute(27, 26, ATTRIBUTE_STATES, STATE_BIT(RELEASED), 5);
	set_node(28, 27, 100, 1, 7);
	run();
	assert_int_equal(profile_total(profile), 15);
}

TEST(import_is_a_frame)
{
	const struct {
		const char *name, *file, *label;
	} code[] = {
		{ "_find_and_load", "<frozen importlib._bootstrap>", "yes" },
		{ "_find_and_load", "mine.py", "" },
		{ "_find_and_load_unlocked", "<frozen importlib._bootstrap>", "" },
	};

	for (__u32 i = 0; i < 3; i++) {
		add_code(102 + i, code[i].name, code[i].file, 1);
		set_root(30 + 10 * i, 0, 0);
		set_node(31 + 10 * i, 30 + 10 * i, 102 + i, 1, 0);
		set_node(32 + 10 * i, 31 + 10 * i, 100, 1, 1);
		set_node(33 + 10 * i, 31 + 10 * i, 101, 1, 1); /* whose caller is known by now */
	}
	run();
	assert_int_equal(profile_count(profile, PROFILE_SAMPLE), 6);
	for (__u32 id = 1; id <= 6; id++)
		assert_string_equal(label_of(id, LABEL_import), code[(id - 1) / 2].label);
}

AROUND_EACH(setup, teardown);
