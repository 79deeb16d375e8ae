// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_node_frame.c - the frame of one node: by what its number stands for, asked for once, and hidden where
 * it says nothing.
 */
#include "tests/forge/test.h"
#include "tests/unit/tree/named_nodes.h"

#include <errno.h>

#include "base/clock.h"
#include "tree/native_frame.h"

static struct node_frames frames;

static int setup_frames(void **state)
{
	int err = setup_names(state);

	frames = frames_of(0);
	return err;
}

static const char *frame_of(__u32 code, __u32 instr)
{
	static __u32 node = 100;
	__u32 location;

	set_node(++node, 25, code, instr, 0);
	assert_int_equal(node_frame_location(&frames, node, 0, &location), 0);
	return location == FRAME_HIDDEN ? NULL : name_of(location);
}

TEST(by_their_number)
{
	assert_string_equal(frame_of(100, 1), "outer");
	assert_string_equal(frame_of(OUTCOME_TRUNCATED, INSTR_UNKNOWN), "[truncated]");
	assert_string_equal(frame_of(OUTCOME_COUNT, INSTR_UNKNOWN), "[unknown]");
	assert_string_equal(frame_of(CODE_WAITS + WAIT_IO, INSTR_UNKNOWN), "[I/O]");
	assert_string_equal(frame_of(CODE_WAITS + WAIT_CAUSES, INSTR_UNKNOWN), "[unknown]");
	assert_string_equal(frame_of(NODE_ATTRIBUTE, 1), "[unknown]");
	assert_string_equal(frame_of(NODE_NATIVE, NATIVE_UNKNOWN), "[native unknown]");
	assert_string_equal(frame_of(NODE_NATIVE, TEXT_SYSCALLS + 1), "[syscall write]");
	assert_int_equal(frames.done, 8);
	assert_int_equal(lines.count, 1);
	assert_false(frames.importing);
}

/* RETURNED only tells kinds of events apart; native frames are left out if that is asked for. */
TEST(some_are_hidden)
{
	assert_null(frame_of(CODE_WAITS + WAIT_RETURNED, INSTR_UNKNOWN));
	inputs.hide_native = true;
	assert_null(frame_of(NODE_NATIVE, TEXT_SYSCALLS + 1));
	assert_null(frame_of(NODE_NATIVE, NATIVE_UNKNOWN));
	assert_string_equal(frame_of(100, 1), "outer");
	assert_int_equal(frames.done, 1);
}

/* The frame of a node is asked for once, and whether it imports is known each time. */
TEST(once)
{
	__u32 first, again;

	add_code(102, "_find_and_load", "<frozen importlib._bootstrap>", 1);
	set_node(26, 25, 102, 1, 0);
	assert_int_equal(node_frame_location(&frames, 26, 0, &first), 0);
	assert_true(frames.importing);
	frames.importing = false;
	assert_int_equal(node_frame_location(&frames, 26, 0, &again), 0);
	assert_int_equal(again, first);
	assert_true(frames.importing);
	assert_int_equal(frames.done, 1);
}

/* With no time left one is named all the same, and what is known costs none. */
TEST(time_is_up)
{
	__u32 location;

	frames.pause_ns = clock_ns();
	set_node(26, 25, 100, 1, 0);
	set_node(27, 26, 101, 4, 0);
	assert_false(node_frames_time_is_up(&frames));
	assert_int_equal(node_frame_location(&frames, 26, 0, &location), 0);
	assert_true(node_frames_time_is_up(&frames));
	assert_int_equal(node_frame_location(&frames, 27, 0, &location), -EAGAIN);
	assert_int_equal(node_frame_location(&frames, 26, 0, &location), 0);
	assert_string_equal(name_of(location), "outer");
}

TEST(markers)
{
	__u32 location;

	assert_int_equal(node_frame_marker(&frames, OUTCOME_TABLE_FULL, &location), 0);
	assert_string_equal(name_of(location), "[table full]");
	assert_int_equal(node_frame_marker(&frames, ~0U, &location), 0);
	assert_string_equal(name_of(location), "[unknown]");
}

AROUND_EACH(setup_frames, teardown_names);
