// SPDX-License-Identifier: GPL-2.0-only
#include "remote/tasks_trim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "remote/tasks.h"

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

static bool is_leftover(const struct task *t)
{
	return t->state == TASK_ENDED && !t->frames && !t->awaiters;
}

/* Copies what the task has in an array behind what those before it have. */
static int take(struct buf *to, const struct buf *from, size_t size, __u32 *first, __u32 count)
{
	const char *data = (const char *)from->data + *first * size;

	*first = to->size / size;
	return count ? buf_add(to, data, count * size) : 0;
}

static void replace(struct buf *old, struct buf *with)
{
	buf_free(old);
	*old = *with;
	*with = (struct buf){ 0 };
}

struct trim {
	struct buf frames, awaiters;
	__u32 kept;
};

static int trim(struct trim *m, struct task *all, size_t count, struct buf *frames, struct buf *awaiters,
		const bool *drop, __u32 *numbers)
{
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		numbers[i] = m->kept;
		if (drop[i])
			continue;
		err = take(&m->frames, frames, sizeof(struct look_frame), &all[i].first_frame, all[i].frames);
		err = err ?: take(&m->awaiters, awaiters, sizeof(__u32), &all[i].first_awaiter,
				  all[i].awaiters);
		all[m->kept++] = all[i];
	}
	return err;
}

int tasks_trim(struct buf *tasks, struct buf *frames, struct buf *awaiters, const bool *gone,
	       const bool *ended, bool drop_ended)
{
	struct task *all = (void *)tasks->data;
	const size_t count = tasks->size / sizeof(*all);
	_cleanup_free_ bool *drop = calloc(count + 1, sizeof(*drop));
	_cleanup_free_ __u32 *numbers = calloc(count + 1, sizeof(*numbers));
	struct trim m = { 0 };
	__u32 *by;
	int err;

	if (!drop || !numbers)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		if (gone[i] || ended[i])
			take_away(&all[i]);
	find_named(all, count, (void *)awaiters->data, drop);
	for (size_t i = 0; i < count; i++)
		drop[i] = !drop[i] && (ended[i] || (drop_ended && is_leftover(&all[i])));
	err = trim(&m, all, count, frames, awaiters, drop, numbers);
	by = (void *)m.awaiters.data;
	for (size_t i = 0; i < m.awaiters.size / sizeof(*by) && !err; i++)
		by[i] = numbers[by[i]];
	if (!err) {
		tasks->size = m.kept * sizeof(*all);
		replace(frames, &m.frames);
		replace(awaiters, &m.awaiters);
	}
	buf_free(&m.frames);
	buf_free(&m.awaiters);
	return err;
}
