// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_task_layout.c - what the kernel side is told of asyncio's tasks, and what it cannot read by.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "python/task_layout.h"
#include "tests/forge/test.h"

/* 3.14's. */
static struct asyncio_layout layout(void)
{
	return (struct asyncio_layout){
		.objects = { .object_type = 8, .type_name = 24, .type_flags = 168, .set_used = 24,
			     .set_table = 40, .set_mask = 32, .int_tag = 16, .int_digit = 24, .gen_frame = 72,
			     .gen_state = 67, .frame_stack = 64 },
		.states = { -3, 0, -2, { -1, -1 }, 1 },
		.task_size = 168, .task_name = 136, .task_awaited_by = 96, .task_is_task = 108,
		.task_awaited_by_is_set = 109, .task_coro = 128, .task_node = 152,
		.interp_tasks = 10880, .tstate_loop = 864, .tstate_task = 872, .tstate_tasks = 880,
	};
}

TEST(it_is_taken_over)
{
	const struct asyncio_layout from = layout();
	struct task_layout l;

	memset(&l, 0xa5, sizeof(l));
	assert_int_equal(task_layout_make(&from, &l), 0);
	assert_int_equal(l.tstate_loop, 864);
	assert_int_equal(l.task_size, 168);
	assert_int_equal(l.task_name, 136);
	assert_int_equal(l.task_awaited_by, 96);
	assert_int_equal(l.task_is_task, 108);
	assert_int_equal(l.task_awaited_by_is_set, 109);
	assert_int_equal(l.task_coro, 128);
	assert_int_equal(l.object_type, 8);
	assert_int_equal(l.type_name, 24);
	assert_int_equal(l.type_flags, 168);
	assert_int_equal(l.set_used, 24);
	assert_int_equal(l.set_mask, 32);
	assert_int_equal(l.set_table, 40);
	assert_int_equal(l.gen_frame, 72);
	assert_int_equal(l.gen_state, 67);
	assert_int_equal(l.frame_stack, 64);
	assert_int_equal(l.created, -3);
	assert_int_equal(l.executing, 0);
	assert_int_equal(l.suspended, -2);
	assert_int_equal(l.awaiting[0], -1);
	assert_int_equal(l.awaited, 1);
}

TEST(what_cannot_be_read)
{
	struct asyncio_layout bad[4];

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		bad[i] = layout();
	bad[0].tstate_task = 880; /* not behind the loop */
	bad[1].objects.gen_frame = TASK_READ - FRAME_READ + 1;
	bad[2].objects.gen_state = 72; /* in the frame */
	bad[3].objects.frame_stack = FRAME_READ - 7;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct task_layout l, before;

		memset(&l, 0xa5, sizeof(l));
		before = l;
		assert_int_equal(task_layout_make(&bad[i], &l), -EINVAL);
		assert_memory_equal(&l, &before, sizeof(l));
	}
}

/* 3.12's, which was found. */
TEST(one_that_was_found)
{
	static const struct task_facts facts = { .gen_state = 67, .frame_top = 64, .frame_stack = 72,
						 .closure = 72 };
	struct task_facts of_objects = { .frame_state = 116,
					 .frame_top = 72,
					 .frame_stack = 64,
					 .closure = 48,
					 .frame_object = FRAME_OBJECT_TOP };
	struct asyncio_layout from = layout();
	struct task_layout l = { 0 };

	from.facts = &facts;
	from.found = (struct asyncio_found){ .task_type = 8, .future_type = 16, .current = 24,
					     .group_type = 32, .resume = 2 };
	assert_int_equal(task_layout_make(&from, &l), 0);
	assert_int_equal(l.tstate_loop, 0);
	assert_int_equal(l.task_coro, 128);
	assert_int_equal(l.frame_stack, 64);
	assert_int_equal(l.frame_values, 72);
	assert_int_equal(l.closure, 72);
	assert_int_equal(l.current, 24);
	assert_int_equal(l.task_type, 8);
	assert_int_equal(l.future_type, 16);
	assert_int_equal(l.group_type, 32);
	assert_int_equal(l.resume, 2);
	from.facts = &of_objects; /* up to 3.10 */
	assert_int_equal(task_layout_make(&from, &l), 0);
	assert_int_equal(l.gen_state, 116);
	assert_int_equal(l.frame_stack, 72);
	assert_int_equal(l.frame_object, FRAME_OBJECT_TOP);
	of_objects.frame_top = FRAME_READ_MAX - 7;
	assert_int_equal(task_layout_make(&from, &l), -EINVAL);
	assert_int_equal(l.frame_stack, 72);
}
