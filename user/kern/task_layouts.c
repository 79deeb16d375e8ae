// SPDX-License-Identifier: GPL-2.0-only
#include "kern/task_layouts.h"

#include <errno.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "kern/object.h"
#include "pyperf.skel.h"

void task_layouts_prepare(struct task_layouts *t, struct pyperf *skel, bool wanted)
{
	*t = (struct task_layouts){ .skel = skel };
	skel->rodata->opt_async = wanted;
	bpf_program__set_autoload(skel->progs.set_tasks, wanted);
	if (!wanted)
		bpf_map__set_max_entries(skel->maps.task_layouts, 1);
}

bool task_layouts_are_wanted(const struct task_layouts *t)
{
	return t->skel->rodata->opt_async;
}

__u32 task_layouts_add(struct task_layouts *t, const struct task_layout *l, __u64 user)
{
	const struct bpf_map *map = t->skel->maps.task_layouts;
	struct task_layout have;
	int free;

	if (!task_layouts_are_wanted(t) || !l->task_size)
		return 0;
	for (__u32 i = 0; i < t->count; i++)
		if (!bpf_map__lookup_elem(map, &i, sizeof(i), &have, sizeof(have), 0) &&
		    !memcmp(&have, l, sizeof(have)))
			return i + 1;
	free = index_room_find(&t->room, t->skel->maps.processes, INDEX_TASKS, t->count, user);
	if (free < 0 || bpf_map__update_elem(map, &free, sizeof(free), l, sizeof(*l), BPF_ANY))
		return 0;
	t->count += free == (int)t->count;
	return free + 1;
}

int task_layouts_set(const struct task_layouts *t, __u32 pid, __u32 id, __u32 tasks)
{
	struct tasks_request request = { pid, id, tasks, 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &request, .ctx_size_in = sizeof(request));

	if (bpf_prog_test_run_opts(bpf_program__fd(t->skel->progs.set_tasks), &opts))
		return -errno;
	return opts.retval ? -ESRCH : 0;
}

struct task_layouts *kernel_task_layouts(struct kernel *k)
{
	return &k->task_layouts;
}
