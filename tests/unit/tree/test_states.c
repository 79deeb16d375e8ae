// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_states.c - labels from the nodes of states and of a task below a stack, and from a frame that imports.
 */
#include "tests/forge/tables.h"
#include "tree/states.h"
#include "tests/forge/test.h"

static const char *label_of(__u32 sample, enum label label)
{
	const struct profile_owner *o =
		profile_get_owner(profile, profile_get_sample(profile, sample).owner);

	return profile_get_string(profile, o->label[label]);
}

TEST(each_row_makes_its_label, .bare = true)
{
#define STATE(name, key_, value, help)                          \
	do {                                                    \
		struct profile_labels labels = { .comm = "c" }; \
		states_fill(STATE_BIT(name), &labels);          \
		assert_string_equal(labels.key_, value);        \
		assert_string_equal(labels.comm, "c");          \
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
TEST(strange_places)
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
