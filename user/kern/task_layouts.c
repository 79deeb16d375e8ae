// SPDX-License-Identifier: GPL-2.0-only
#include "kern/task_layouts.h"

#include <errno.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "kern/object.h"
#include "pyperf.skel.h"

void task_layouts_prepare(struct task_layouts *t, struct kernel *k)
{
	*t = (struct task_layouts){ .kernel = k };
	if (!k->options.async)
		bpf_map__set_max_entries(k->skel->maps.task_layouts, 1);
}

bool task_layouts_are_wanted(const struct task_layouts *t)
{
	return t->kernel->options.async;
}

__u32 task_layouts_add(struct task_layouts *t, const struct task_layout *l, __u64 user)
{
	const struct side *side = &t->kernel->side;
	struct task_layout have;
	int free;

	if (!task_layouts_are_wanted(t) || !l->task_size)
		return 0;
	for (__u32 i = 0; i < t->count; i++)
		if (!table_get(&side->task_layouts, &i, &have) && !memcmp(&have, l, sizeof(have)))
			return i + 1;
	free = index_room_find(&t->room, &side->processes, INDEX_TASKS, t->count, user);
	if (free < 0 || table_set(&side->task_layouts, &free, l))
		return 0;
	t->count += free == (int)t->count;
	return free + 1;
}

int task_layouts_set(const struct task_layouts *t, __u32 pid, __u32 id, __u32 tasks)
{
	const struct number_request request = { pid, id, NUMBER_TASKS, tasks };

	return t->kernel->home->set_number(t->kernel, &request);
}

struct task_layouts *kernel_task_layouts(struct kernel *k)
{
	return &k->task_layouts;
}
