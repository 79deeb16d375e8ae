// SPDX-License-Identifier: GPL-2.0-only
#include "python/task_layout.h"

#include <errno.h>
#include <stdbool.h>

_Static_assert(ASYNCIO_TASK_READ <= TASK_READ, "the kernel side reads less of a task");

/* Whether all that is read of a frame is among the bytes that are read of it. */
static bool fits_frame(const struct task_facts *f)
{
	if (f->frame_object)
		return f->frame_state < FRAME_READ_MAX && f->frame_top <= FRAME_READ_MAX - sizeof(__u64) &&
		       f->frame_stack <= FRAME_READ_MAX - sizeof(__u64);
	return f->gen_state && f->frame_top <= FRAME_READ - sizeof(__u32);
}

/* Up to 3.13. */
static int make_found(const struct asyncio_layout *a, struct task_layout *ret)
{
	const struct task_facts *f = a->facts;
	const struct object_offsets *o = &a->objects;

	if (o->gen_frame + FRAME_READ > TASK_READ || a->task_size > TASK_READ || !fits_frame(f))
		return -EINVAL;
	*ret = (struct task_layout){
		.task_size = a->task_size,
		.task_name = a->task_name,
		.task_coro = a->task_coro,
		.object_type = o->object_type,
		.type_name = o->type_name,
		.type_flags = o->type_flags,
		.gen_frame = o->gen_frame,
		.gen_state = f->frame_object ? f->frame_state : o->gen_state,
		.frame_stack = f->frame_top,
		.created = a->states.created,
		.executing = a->states.executing,
		.suspended = a->states.suspended,
		.awaiting = { a->states.awaiting[0], a->states.awaiting[1] },
		.awaited = a->states.awaited,
		.resume = a->found.resume,
		.frame_object = f->frame_object,
		.frame_values = f->frame_stack,
		.closure = f->closure,
		.function_name = f->function_name,
		.current = a->found.current,
		.task_type = a->found.task_type,
		.future_type = a->found.future_type,
		.group_type = a->found.group_type,
		.partial_type = a->found.partial_type,
	};
	return 0;
}

int task_layout_make(const struct asyncio_layout *a, struct task_layout *ret)
{
	const struct object_offsets *o = &a->objects;

	if (a->facts)
		return make_found(a, ret);
	/* The loop and the task are read at once, and so is a coroutine with its frame. */
	if (a->tstate_task != a->tstate_loop + sizeof(__u64) || o->gen_frame + FRAME_READ > TASK_READ ||
	    o->gen_state >= o->gen_frame || o->frame_stack > FRAME_READ - sizeof(__u64))
		return -EINVAL;
	*ret = (struct task_layout){
		.tstate_loop = a->tstate_loop,
		.task_size = a->task_size,
		.task_name = a->task_name,
		.task_awaited_by = a->task_awaited_by,
		.task_is_task = a->task_is_task,
		.task_awaited_by_is_set = a->task_awaited_by_is_set,
		.task_coro = a->task_coro,
		.object_type = o->object_type,
		.type_name = o->type_name,
		.type_flags = o->type_flags,
		.set_used = o->set_used,
		.set_table = o->set_table,
		.set_mask = o->set_mask,
		.gen_frame = o->gen_frame,
		.gen_state = o->gen_state,
		.frame_stack = o->frame_stack,
		.created = a->states.created,
		.executing = a->states.executing,
		.suspended = a->states.suspended,
		.awaiting = { a->states.awaiting[0], a->states.awaiting[1] },
		.awaited = a->states.awaited,
	};
	return 0;
}
