// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_node_stack.c - what a node of the call tree stands for, one at a time: its kind of event, its labels
 * and its frames, with and without time for all of them.
 */
#include "tests/forge/test.h"
#include "tests/unit/tree/named_nodes.h"

#include <errno.h>

#include "base/clock.h"
#include "profile/frames.h"
#include "tree/native_frame.h"
#include "tree/node_stack.h"

static struct node_stack stack;

static int setup_stack(void **state)
{
	if (setup_names(state))
		return -1;
	memset(&stack, 0xa5, sizeof(stack)); /* nothing is to be left for its user */
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 0);
	set_node(27, 26, 101, 4, 0);
	set_attribute(28, 27, ATTRIBUTE_STATES, STATE_BIT(HOLDS), 0);
	return 0;
}

static const char *frame(__u32 i)
{
	return name_of(stack.locations[i]);
}

static int find(__u32 node)
{
	struct node_frames frames = frames_of(0);

	if (!node_stack_begin(&inputs, node, &stack))
		return -ENOENT;
	node_stack_labels(&inputs, &stack);
	return node_stack_frames(&frames, &stack);
}

TEST(all_of_a_stack)
{
	assert_int_equal(find(28), 0);
	assert_int_equal(stack.kind, EVENT_CPU);
	assert_int_equal(stack.labels.pid, 100);
	assert_int_equal(stack.labels.tid, 100);
	assert_string_equal(stack.labels.comm, "main-now");
	assert_string_equal(stack.labels.gil, "holds");
	assert_null(stack.labels.import);
	assert_int_equal(stack.n, 2);
	assert_string_equal(frame(0), "inner");
	assert_string_equal(frame(1), "outer");
	assert_int_equal(lines.count, 2);
}

/* What was asked for one stack is known for the next one, which has other labels. */
TEST(one_after_the_other)
{
	assert_int_equal(find(28), 0);
	set_root(35, 2, 0);
	set_node(36, 35, 100, 1, 0);
	assert_int_equal(find(36), 0);
	assert_int_equal(stack.n, 1);
	assert_string_equal(frame(0), "outer");
	assert_int_equal(stack.labels.pid, 200);
	assert_int_equal(stack.labels.tid, 0);
	assert_null(stack.labels.gil);
	assert_int_equal(lines.count, 2);
}

TEST(kinds)
{
	set_owner_of(3, EVENT_OFFCPU, 1, 101, "worker");
	set_root(35, 3, 0);
	set_node(36, 35, 100, 1, 0);
	set_node(37, 36, CODE_WAITS + WAIT_WOKEN, INSTR_UNKNOWN, 0);
	assert_int_equal(find(36), 0);
	assert_int_equal(stack.kind, EVENT_OFFCPU);
	assert_int_equal(find(37), 0);
	assert_int_equal(stack.kind, EVENT_RUNQUEUE);
	assert_string_equal(frame(0), "[waits for a CPU]");
	owners[3].key = ~0ULL;
	assert_true(node_stack_begin(&inputs, 36, &stack));
	assert_true(stack.kind >= EVENT_KINDS);
}

/* It stands above a tick, which has attributes. */
TEST(a_turn_of_a_loop)
{
	set_node(29, 28, CODE_WAITS + WAIT_TURN, INSTR_UNKNOWN, 0);
	assert_int_equal(find(29), 0);
	assert_int_equal(stack.kind, EVENT_LOOP);
	assert_string_equal(stack.labels.gil, "holds");
	assert_int_equal(stack.n, 2);
	assert_string_equal(frame(0), "inner");
	set_node(31, 28, CODE_WAITS + WAIT_SATURATED, INSTR_UNKNOWN, 0);
	assert_int_equal(find(31), 0);
	assert_int_equal(stack.kind, EVENT_LOOP);
	assert_string_equal(stack.labels.gil, "holds");
	assert_int_equal(stack.n, 3);
	assert_string_equal(frame(0), "[saturated]");
	assert_string_equal(frame(1), "inner");
	set_attribute(32, 31, ATTRIBUTE_READY, 7, 0);
	assert_int_equal(find(32), 0);
	assert_int_equal(stack.kind, EVENT_LOOP);
	assert_int_equal(stack.labels.ready, 7);
	assert_string_equal(stack.labels.gil, "holds");
	assert_int_equal(stack.n, 3);
	set_node(30, 25, CODE_WAITS + WAIT_TURN, INSTR_UNKNOWN, 0);
	assert_int_equal(find(30), 0);
	assert_int_equal(stack.kind, EVENT_LOOP);
}

TEST(imports_are_of_ticks)
{
	add_code(102, "_find_and_load", "<frozen importlib._bootstrap>", 1);
	set_owner_of(3, EVENT_OFFCPU, 1, 101, "worker");
	for (__u32 i = 0; i < 2; i++) {
		set_root(35 + 10 * i, 3 * i, 0);
		set_node(36 + 10 * i, 35 + 10 * i, 102, 1, 0);
	}
	assert_int_equal(find(36), 0);
	assert_string_equal(stack.labels.import, "yes");
	assert_int_equal(find(46), 0);
	assert_null(stack.labels.import);
	assert_int_equal(find(28), 0);
	assert_null(stack.labels.import);
}

/* A root alone, and a stack all of whose frames are hidden. */
TEST(nothing_to_show)
{
	assert_int_equal(find(25), 0);
	assert_int_equal(stack.n, 1);
	assert_string_equal(frame(0), "[table full]");
	set_node(29, 25, NODE_NATIVE, NATIVE_UNKNOWN, 0);
	inputs.hide_native = true;
	assert_int_equal(find(29), 0);
	assert_int_equal(stack.n, 1);
	assert_string_equal(frame(0), FRAME_ALL_HIDDEN);
}

/* Chains that cannot be: nothing, a circle, a number that no node has, an owner that is none. */
TEST(chains_that_cannot_be)
{
	set_node(40, 41, 100, 1, 0);
	set_node(41, 40, 100, 1, 0);
	set_node(42, NODES + 5, 100, 1, 0);
	set_root(43, OWNERS, 0);
	set_node(44, 43, 100, 1, 0);
	set_node(45, 46, 100, 1, 0);
	for (__u32 node = 40; node <= 46; node++)
		assert_int_equal(find(node), -ENOENT);
	assert_int_equal(find(NODES), -ENOENT);
}

/* The time is up from the start: each part finds one frame, and the last one has the stack. */
TEST(in_parts)
{
	int parts = 1, err;

	assert_true(node_stack_begin(&inputs, 28, &stack));
	node_stack_labels(&inputs, &stack);
	for (;; parts++) {
		struct node_frames frames = frames_of(clock_ns());

		err = node_stack_frames(&frames, &stack);
		if (err != -EAGAIN)
			break;
		assert_int_equal(frames.done, 1);
		assert_true(parts < 10);
	}
	assert_int_equal(err, 0);
	assert_int_equal(parts, 2);
	assert_int_equal(stack.n, 2);
	assert_string_equal(frame(0), "inner");
	assert_string_equal(frame(1), "outer");
}

AROUND_EACH(setup_stack, teardown_names);
