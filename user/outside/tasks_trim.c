// SPDX-License-Identifier: GPL-2.0-only
#include "outside/tasks_trim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "outside/tasks.h"

static void take_away(struct task *t)
{
	t->state = TASK_CHANGED;
	t->frames = t->awaiters = t->other = t->cut = 0;
}

/* Says who is said to await others. */
static void find_named(const struct task *tasks, size_t count, const __u32 *awaiters, bool *ret)
{
	for (size_t i = 0; i < count; i++)
		for (__u32 k = 0; k < tasks[i].awaiters; k++)
			ret[awaiters[tasks[i].first_awaiter + k]] = true;
}

static bool is_leftover(const struct task *t, bool is_named)
{
	return t->state == TASK_ENDED && !t->frames && !t->awaiters && !is_named;
}

/* Moves what the task has in an array to where the next one begins. Returns where that ends. */
static __u32 move(void *array, size_t size, __u32 *first, __u32 count, __u32 to)
{
	memmove((char *)array + to * size, (char *)array + *first * size, count * size);
	*first = to;
	return to + count;
}

int tasks_trim(struct buf *tasks, struct buf *frames, struct buf *awaiters, const bool *gone,
	       bool drop_ended)
{
	struct task *all = (void *)tasks->data;
	__u32 *by = (void *)awaiters->data;
	const size_t count = tasks->size / sizeof(*all);
	_cleanup_free_ bool *named = calloc(count + 1, sizeof(*named));
	_cleanup_free_ __u32 *numbers = calloc(count + 1, sizeof(*numbers));
	__u32 kept = 0, frame = 0, awaiter = 0;

	if (!named || !numbers)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		if (gone[i])
			take_away(&all[i]);
	find_named(all, count, by, named);
	for (size_t i = 0; i < count; i++) {
		numbers[i] = kept;
		if (drop_ended && is_leftover(&all[i], named[i]))
			continue;
		frame = move(frames->data, sizeof(struct look_frame), &all[i].first_frame, all[i].frames,
			     frame);
		awaiter = move(by, sizeof(*by), &all[i].first_awaiter, all[i].awaiters, awaiter);
		all[kept++] = all[i];
	}
	for (__u32 i = 0; i < awaiter; i++)
		by[i] = numbers[by[i]];
	tasks->size = kept * sizeof(*all);
	frames->size = frame * sizeof(struct look_frame);
	awaiters->size = awaiter * sizeof(*by);
	return 0;
}
